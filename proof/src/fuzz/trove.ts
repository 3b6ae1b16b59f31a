import type { Dice } from "./dice.ts";

const KEPT_MAX = 400;
const CURSORS_MAX = 200;
const ID = /^([a-z]{2,4})_[0-9a-hjkmnp-tv-z]{20,}$/;
const FIELD = /^[a-zA-Z][a-zA-Z0-9_]{0,40}$/;
const VALUES_PER_ANSWER_MAX = 2_000;

/** Data from responses: ids of existing resources, field names, cursors. The newest are kept. */
export class Trove {
  readonly #ids = new Map<string, string[]>();
  readonly #slugs: string[] = [];
  readonly #cursors: string[] = [];
  readonly #fields: string[] = ["createdAt", "id"];

  /** An id of this kind. Undefined if none is known. */
  id(prefix: string, dice: Dice): string | undefined {
    return dice.pickAny(this.#ids.get(prefix) ?? []);
  }

  /** An id of any kind. */
  anyId(dice: Dice): string {
    const kinds = [...this.#ids.values()];
    return kinds.length === 0 ? "usr_00000000000000000000000000" : dice.pick(dice.pick(kinds));
  }

  slug(dice: Dice): string | undefined {
    return dice.pickAny(this.#slugs);
  }

  cursor(dice: Dice): string | undefined {
    return dice.pickAny(this.#cursors);
  }

  field(dice: Dice): string {
    return dice.pick(this.#fields);
  }

  /** Collects the data of a response. */
  learn(body: unknown): void {
    let left = VALUES_PER_ANSWER_MAX;
    const look = (value: unknown, key: string): void => {
      left -= 1;
      if (left < 0) return;
      if (typeof value === "string") this.#keep(key, value);
      else if (Array.isArray(value)) for (const item of value) look(item, key);
      else if (typeof value === "object" && value !== null) {
        for (const [name, part] of Object.entries(value)) {
          if (FIELD.test(name)) keep(this.#fields, name, KEPT_MAX);
          look(part, name);
        }
      }
    };
    look(body, "");
  }

  #keep(key: string, value: string): void {
    const prefix = ID.exec(value)?.[1];
    if (prefix !== undefined) {
      let ids = this.#ids.get(prefix);
      if (!ids) this.#ids.set(prefix, (ids = []));
      keep(ids, value, KEPT_MAX);
    } else if (key === "slug") keep(this.#slugs, value, KEPT_MAX);
    else if (key === "nextCursor") keep(this.#cursors, value, CURSORS_MAX);
  }
}

/** Keeps the newest values, without recent duplicates. */
function keep(list: string[], value: string, max: number): void {
  if (list.includes(value)) return;
  list.push(value);
  if (list.length > max) list.splice(0, list.length - max);
}
