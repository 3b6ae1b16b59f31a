import { mapJson } from "../schema/map-json.ts";
import { SECRET_CHARACTERS_MIN } from "./secret-forms.ts";
import { Matcher, type Pattern } from "./matcher.ts";

/** A used secret with the encodings to search for. */
export interface UsedSecret {
  readonly name: string;
  readonly value: string;
  readonly forms: readonly string[];
}

/**
 * Removes used secrets from output: `[secret NAME]` replaces them. A value shorter than four characters is replaced
 * only if it is the whole text.
 */
export class Scrubber {
  readonly #secrets: readonly UsedSecret[];
  readonly #labels: ReadonlyMap<string, string>;
  #matcher: Matcher | undefined;

  constructor(secrets: readonly UsedSecret[]) {
    this.#secrets = secrets;
    this.#labels = new Map(secrets.map((secret) => [secret.value, labelOf(secret)]));
  }

  scrub(text: string): string {
    const label = this.#labels.get(text);
    if (label !== undefined) return label;
    if (this.#secrets.length === 0 || text.length < SECRET_CHARACTERS_MIN) return text;
    // Created on demand, because most outputs contain no secrets.
    this.#matcher ??= new Matcher(patternsOf(this.#secrets));
    return this.#matcher.replace(text);
  }

  /** Scrubs all texts and field names of a JSON value, and numbers that are secrets. */
  scrubJson<T>(value: T): T {
    if (this.#secrets.length === 0) return value;
    const change = (leaf: unknown): unknown => {
      if (typeof leaf === "string") return this.scrub(leaf);
      return typeof leaf === "number" ? (this.#labels.get(String(leaf)) ?? leaf) : leaf;
    };
    // Only texts are replaced, so the type stays the same.
    return mapJson(value, change, (name) => this.scrub(name)) as T;
  }
}

export function patternsOf(secrets: Iterable<UsedSecret>): Pattern[] {
  return [...secrets].flatMap((secret) => {
    const label = labelOf(secret);
    return secret.forms.map((text) => ({ text, label }));
  });
}

function labelOf({ name }: UsedSecret): string {
  return `[secret ${name}]`;
}
