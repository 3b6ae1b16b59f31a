import type { Ask } from "../../../server/src/kernel/testing/world.ts";
import { fresh, pathOf } from "./call.ts";
import type { Operation } from "./contract.ts";
import type { Corpus, Input } from "./corpus.ts";
import { invent, type Source } from "./invent.ts";
import type { Ledger } from "./ledger.ts";
import type { Country } from "./world.ts";

/** The operations on one kind of resource, derived from its paths: create, read, change, list and delete. */
export interface Family {
  readonly create: Operation;
  readonly get: Operation;
  readonly list: Operation | undefined;
  readonly update: Operation | undefined;
  readonly remove: Operation | undefined;
}

/** The callers of a walk, and its random source. */
export interface Walker {
  readonly owner: Ask;
  readonly stranger: Ask;
  readonly country: Country;
  readonly corpus: Corpus;
  readonly source: Source;
  readonly ledger: Ledger;
}

const STEPS_MAX = 8;
const PAGES_MAX = 10;
const UNTOUCHED = new Set([404, 409, 412, 422]);

/** The families in the description: a collection with POST, and items below it with GET. */
export function familiesOf(operations: readonly Operation[]): Family[] {
  const at = (method: string, path: string): Operation | undefined =>
    operations.find((op) => op.method === method && op.path === path);
  return operations
    .filter((op) => op.method === "POST" && op.statuses.has("201"))
    .flatMap((create) => {
      const item = new RegExp(`^${create.path.replaceAll(/[{}]/g, String.raw`\$&`)}/\\{\\w+\\}$`);
      const get = operations.find((op) => op.method === "GET" && item.test(op.path));
      if (!get) return [];
      const list = at("GET", create.path);
      const [update, remove] = [at("PATCH", get.path), at("DELETE", get.path)];
      return [{ create, get, list, update, remove }];
    });
}

/** The expected state of the resource. */
interface Model {
  exists: boolean;
  etag: string | undefined;
  /** Earlier ETags. */
  readonly old: string[];
}

/**
 * Creates a resource, performs random operations on it, and compares each response with the expected state: reads
 * match the last change, old ETags are rejected, the list contains it, and a deleted resource is not found.
 */
export async function walk(family: Family, walker: Walker): Promise<void> {
  const { owner, source, corpus, country } = walker;
  const { dice } = source;
  const { name } = family.create;
  const base =
    (dice.chance(0.5) ? corpus.recall(name, dice) : undefined) ??
    (await corpus.arrange(name, { owner, country, dice }));
  if (!base || base.by) return;
  const made = await owner(`POST ${pathOf(family.create, base.params)}`, fresh(base.body));
  if (made.status !== 201) return;
  const params = await locate(family, walker, base, made.body);
  if (!params) return;
  const thing = new Thing(family, walker, params);
  await thing.look();
  for (let step = dice.between(1, STEPS_MAX); step > 0 && thing.exists; step -= 1) {
    await dice.weighted<() => Promise<void>>([
      [3, () => thing.look()],
      [3, () => thing.change()],
      [1, () => thing.changeWithOldTag()],
      [1, () => thing.findInList()],
      [1, () => thing.showToStranger()],
      [1, () => thing.remove()],
    ])();
  }
}

/** The parameters of the new resource's path. Their names differ by kind. */
async function locate(
  { get }: Family,
  { owner }: Walker,
  base: Input,
  body: unknown,
): Promise<Record<string, string> | undefined> {
  const data = ((body ?? {}) as { data?: Record<string, unknown> }).data ?? {};
  const last = get.params.at(-1)?.name ?? "id";
  for (const field of [last, "id", "slug", "name", "key"]) {
    const value = data[field];
    if (typeof value !== "string") continue;
    const params = { ...base.params, [last]: value };
    if ((await owner(`GET ${pathOf(get, params)}`)).status === 200) return params;
  }
  return undefined;
}

class Thing {
  readonly #family: Family;
  readonly #walker: Walker;
  readonly #params: Record<string, string>;
  readonly #model: Model = { exists: true, etag: undefined, old: [] };

  constructor(family: Family, walker: Walker, params: Record<string, string>) {
    this.#family = family;
    this.#walker = walker;
    this.#params = params;
  }

  get exists(): boolean {
    return this.#model.exists;
  }

  async look(): Promise<void> {
    const { status, headers } = await this.#walker.owner(`GET ${this.#path}`);
    if (status === 404 && (await this.#wasTaken())) return;
    if (status !== 200) return this.#blame(`a thing that is there answers ${status}`);
    const { etag } = this.#model;
    // Without a change by the walker, only background work can have changed it and increased the revision.
    if (etag !== undefined && headers["etag"] === undefined) this.#blame("lost its ETag");
    this.#see(headers["etag"]);
  }

  /** Other requests may have found the resource in a list and deleted it. The log shows this. */
  async #wasTaken(): Promise<boolean> {
    const last = this.#family.get.params.at(-1)?.name ?? "id";
    const path = `/api/v1/audit?resourceId=${encodeURIComponent(this.#params[last] ?? "")}&limit=200`;
    const { body } = await this.#walker.owner(`GET ${path}`);
    const taken = /"type":"[\w.]+\.(deleted|removed|revoked|uninstalled)"/.test(
      JSON.stringify(body),
    );
    if (taken) this.#model.exists = false;
    return taken;
  }

  async change(): Promise<void> {
    const { update } = this.#family;
    if (!update) return;
    const { etag } = this.#model;
    const answer = await this.#walker.owner(`PATCH ${this.#path}`, this.#changes(update), {
      ...(etag !== undefined && { "if-match": etag }),
    });
    if (answer.status >= 300) {
      if (!UNTOUCHED.has(answer.status)) this.#blame(`a change answers ${answer.status}`);
      return;
    }
    this.#see(answer.headers["etag"]);
    await this.look();
  }

  /** A change based on an unseen version must be rejected. */
  async changeWithOldTag(): Promise<void> {
    const { update } = this.#family;
    const tag = this.#model.old.at(-1);
    if (!update || tag === undefined || tag === this.#model.etag) return;
    const body = this.#changes(update);
    const { status } = await this.#walker.owner(`PATCH ${this.#path}`, body, { "if-match": tag });
    if (!UNTOUCHED.has(status)) this.#blame(`a change with an old ETag answers ${status}`);
  }

  async findInList(): Promise<void> {
    const { list } = this.#family;
    const last = this.#family.get.params.at(-1)?.name ?? "id";
    if (!list || list.query.every(({ name }) => name !== "after")) return;
    let after = "";
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const path = `${pathOf(list, this.#params)}?limit=200${after}`;
      const { status, body } = await this.#walker.owner(`GET ${path}`);
      if (status !== 200) return;
      if (JSON.stringify(body).includes(`"${this.#params[last]}"`)) return;
      const { nextCursor } = (body as { pagination: { nextCursor: string | null } }).pagination;
      if (nextCursor === null) {
        if (!(await this.#wasTaken())) this.#blame("a thing that is there is in no list");
        return;
      }
      after = `&after=${encodeURIComponent(nextCursor)}`;
    }
  }

  async showToStranger(): Promise<void> {
    const { status } = await this.#walker.stranger(`GET ${this.#path}`);
    if (status !== 404) this.#blame(`another workspace's owner is answered ${status}`);
  }

  async remove(): Promise<void> {
    const { remove } = this.#family;
    if (!remove) return;
    const { status } = await this.#walker.owner(`DELETE ${this.#path}`);
    if (status >= 300) {
      if (!UNTOUCHED.has(status)) this.#blame(`its removal answers ${status}`);
      return;
    }
    this.#model.exists = false;
    const gone = await this.#walker.owner(`GET ${this.#path}`);
    if (gone.status === 404) {
      const again = await this.#walker.owner(`DELETE ${this.#path}`);
      if (again.status !== 404) this.#blame(`removed twice, it answers ${again.status}`);
      return;
    }
    // Some resources are archived and stay readable. Their state must show it.
    const put =
      /"(status|state)":"(archived|retired|revoked|deactivated|disabled|removed|deleted)"/;
    const isPutAway =
      put.test(JSON.stringify(gone.body)) || /"archivedAt":"/.test(JSON.stringify(gone.body));
    if (!isPutAway) this.#blame(`what was removed answers ${gone.status}`);
  }

  get #path(): string {
    return pathOf(this.#family.get, this.#params);
  }

  #changes(update: Operation): unknown {
    const { corpus, source } = this.#walker;
    const known = corpus.recall(update.name, source.dice)?.body;
    if (known !== undefined && source.dice.chance(0.6)) return fresh(known);
    return update.body && invent(update.body, source);
  }

  #see(etag: string | undefined): void {
    const { etag: former, old } = this.#model;
    if (former !== undefined && former !== etag) old.push(former);
    this.#model.etag = etag;
  }

  #blame(fault: string): void {
    this.#walker.ledger.blame(this.#family.get.id, `walk: ${fault}`, this.#path);
  }
}
