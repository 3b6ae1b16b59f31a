/** Creates, replaces and removes the items of one pack, each in its environment. */
import type { EnvironmentName } from "#kernel/db/database.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { PackContext, PackContent } from "#kernel/contributions/pack-content.ts";
import { mapJson } from "#kernel/schema/map-json.ts";
import { checksumOf } from "./descriptor.ts";
import type { KeptItem, InstalledItem } from "./pack.ts";
import { type PackItem, withErrorPath } from "./pack-items.ts";

/** Rolls back a savepoint whose changes were only previewed. */
class TakenBack extends Error {}

const REFERENCE = /^pack:([a-z_]+)\/(.+)$/;

export class PackInstaller {
  /** Unchanged items, because a member edited or deleted them, or they are in use. */
  readonly keptItems: KeptItem[] = [];
  readonly #ctx: PackContext;
  readonly #environment: EnvironmentName;
  /** The ids of the items installed so far, for references between items. */
  readonly #ids = new Map<string, string>();

  constructor(ctx: PackContext, environment: EnvironmentName) {
    this.#ctx = ctx;
    this.#environment = environment;
  }

  /** True if the workspace already has an item of this kind and name. */
  async exists({ contentType, content }: PackItem): Promise<boolean> {
    return (await contentType.find(this.#enter(contentType), content as never)) !== undefined;
  }

  async create(item: PackItem): Promise<InstalledItem> {
    const { contentType, key, path, prepared } = item;
    return withErrorPath(path, async () => {
      const content = this.#resolveReferences(item.content) as never;
      const ctx = this.#enter(contentType);
      const id = await contentType.create(ctx, content, prepared as never);
      return this.#recordItem(item, { kind: contentType.kind, key, id });
    });
  }

  /** Replaces an item that is unchanged since the installation. Keeps an edited one. */
  async upgrade(item: PackItem, previous: InstalledItem): Promise<InstalledItem> {
    const { contentType, path, prepared, checksum } = item;
    const { kind, key, id } = previous;
    this.#ids.set(`${kind}/${key}`, id);
    const reason = await this.#findEdit(contentType, previous);
    if (reason) {
      this.keptItems.push({ kind, key, id, reason });
      return previous;
    }
    if (checksum === previous.content) return previous;
    return withErrorPath(path, async () => {
      const content = this.#resolveReferences(item.content) as never;
      const ctx = this.#enter(contentType);
      const newId = await contentType.replace(ctx, id, content, prepared as never);
      return this.#recordItem(item, { kind, key, id: newId });
    });
  }

  /** The existing item in the workspace that is adopted as if the pack had created it. */
  async findAdopted(item: PackItem): Promise<InstalledItem | undefined> {
    const { contentType, content, key } = item;
    const { kind, source } = contentType;
    const ctx = this.#enter(contentType);
    const id =
      (await contentType.find(ctx, content as never)) ??
      (await source?.find?.(ctx, content as never));
    if (id === undefined) return undefined;
    const base = checksumOf(await contentType.read(ctx, id));
    return { kind, key, id, content: "", base };
  }

  /** The current state of an item. Undefined if it was deleted. */
  readItem(contentType: PackContent, id: string): Promise<object | undefined> {
    return contentType.read(this.#enter(contentType), id);
  }

  /** The state of an item after a replacement, without changing it. Undefined if the replacement is rejected. */
  async previewReplaced(
    item: PackItem,
    { kind, key, id }: InstalledItem,
  ): Promise<object | undefined> {
    const { contentType, prepared } = item;
    let after: object | undefined;
    try {
      await this.#ctx.savepoint(async () => {
        const content = this.#resolveReferences(item.content) as never;
        const ctx = this.#enter(contentType);
        const newId = await contentType.replace(ctx, id, content, prepared as never);
        after = await this.readItem(contentType, newId);
        throw new TakenBack(`${kind}/${key}`);
      });
    } catch (error) {
      if (!(error instanceof TakenBack) && !(error instanceof Failure)) throw error;
    }
    return after;
  }

  /** How an item was changed after the installation. */
  findEdit(
    contentType: PackContent,
    item: InstalledItem,
  ): Promise<"edited" | "deleted" | undefined> {
    return this.#findEdit(contentType, item);
  }

  /** Returns false if the item is kept because it was edited or is in use. */
  async remove(contentType: PackContent, item: InstalledItem): Promise<boolean> {
    const { kind, key, id } = item;
    const reason = await this.#findEdit(contentType, item);
    if (reason) {
      this.keptItems.push({ kind, key, id, reason });
      return false;
    }
    try {
      await this.#ctx.savepoint(() => contentType.remove(this.#enter(contentType), id));
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.keptItems.push({ kind, key, id, reason: "in_use", detail: error.message });
      return false;
    }
  }

  /** Switches the transaction back to the request's partition. */
  restorePartition(): void {
    const { workspace, caller } = this.#ctx;
    this.#ctx.switchPartition({ workspace: workspace.key, environment: caller.environment });
  }

  async #findEdit(
    contentType: PackContent,
    { id, base }: InstalledItem,
  ): Promise<"edited" | "deleted" | undefined> {
    const current = await contentType.read(this.#enter(contentType), id);
    if (current === undefined) return "deleted";
    return checksumOf(current) === base ? undefined : "edited";
  }

  async #recordItem(
    { contentType, checksum }: PackItem,
    ref: Pick<InstalledItem, "kind" | "key" | "id">,
  ): Promise<InstalledItem> {
    this.#ids.set(`${ref.kind}/${ref.key}`, ref.id);
    const base = checksumOf(await contentType.read(this.#enter(contentType), ref.id));
    return { ...ref, content: checksum, base };
  }

  #resolveReferences(content: unknown): unknown {
    return mapJson(content, (leaf) => {
      const [, kind = "", key = ""] = (typeof leaf === "string" && REFERENCE.exec(leaf)) || [];
      return this.#ids.get(`${kind}/${key}`) ?? leaf;
    });
  }

  /** Switches to the partition of a content type: production, unless it is scoped to environments. */
  #enter({ environmentScoped }: PackContent): PackContext {
    const ctx = this.#ctx;
    const environment = environmentScoped ? this.#environment : "production";
    ctx.switchPartition({ workspace: ctx.workspace.key, environment });
    // If-Match names the revision of the pack, not of its items.
    return { ...ctx, caller: { ...ctx.caller, environment }, expectRevision: () => undefined };
  }
}
