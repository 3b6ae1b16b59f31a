/** Makes, replaces and removes pieces of packs, each in the environment that it belongs to. */
import type { EnvironmentName } from "#kernel/db/database.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { PackContext, PackContent } from "#kernel/contributions/pack-content.ts";
import { mapJson } from "#kernel/schema/map-json.ts";
import { checksumOf } from "./descriptor.ts";
import type { KeptItem, InstalledItem } from "./pack.ts";
import { type PackItem, inEnvironmentOf } from "./pack-items.ts";

const REFERENCE = /^pack:([a-z_]+)\/(.+)$/;

/** The work on one pack. */
export class PackInstaller {
  readonly kept: KeptItem[] = [];
  readonly #ctx: PackContext;
  readonly #environment: EnvironmentName;
  /** The ids of what there is by now, for pieces that name others. */
  readonly #ids = new Map<string, string>();

  constructor(ctx: PackContext, environment: EnvironmentName) {
    this.#ctx = ctx;
    this.#environment = environment;
  }

  /** Whether something of that name stands in the way. */
  async isTaken({ kind, content }: PackItem): Promise<boolean> {
    return (await kind.find(this.#in(kind), content as never)) !== undefined;
  }

  async make(piece: PackItem): Promise<InstalledItem> {
    const { kind: content, key, path, prepared } = piece;
    return inEnvironmentOf(path, async () => {
      const said = this.#resolved(piece);
      const id = await content.create(this.#in(content), said as never, prepared as never);
      return this.#noted(piece, { kind: content.kind, key, id });
    });
  }

  /** What is as the pack left it becomes what the pack says now; what is not stays. */
  async renew(piece: PackItem, former: InstalledItem): Promise<InstalledItem> {
    const { kind: content, path, prepared, checksum } = piece;
    const { kind, key, id } = former;
    this.#ids.set(`${kind}/${key}`, id);
    const reason = await this.#editOf(content, former);
    if (reason) {
      this.kept.push({ kind, key, id, reason });
      return former;
    }
    if (checksum === former.content) return former;
    return inEnvironmentOf(path, async () => {
      const said = this.#resolved(piece);
      const now = await content.replace(this.#in(content), id, said as never, prepared as never);
      return this.#noted(piece, { kind, key, id: now });
    });
  }

  /** True when it is gone; what was edited or is in use stays. */
  async remove(content: PackContent, thing: InstalledItem): Promise<boolean> {
    const { kind, key, id } = thing;
    const reason = await this.#editOf(content, thing);
    if (reason) {
      this.kept.push({ kind, key, id, reason });
      return false;
    }
    try {
      await this.#ctx.savepoint(() => content.remove(this.#in(content), id));
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.kept.push({ kind, key, id, reason: "in_use", detail: error.message });
      return false;
    }
  }

  /** Goes back to where the request is. */
  end(): void {
    const { workspace, caller } = this.#ctx;
    this.#ctx.switchPartition({ workspace: workspace.key, environment: caller.environment });
  }

  async #editOf(
    content: PackContent,
    { id, base }: InstalledItem,
  ): Promise<"edited" | "deleted" | undefined> {
    const now = await content.read(this.#in(content), id);
    if (now === undefined) return "deleted";
    return checksumOf(now) === base ? undefined : "edited";
  }

  async #noted(
    { kind: content, checksum }: PackItem,
    thing: Pick<InstalledItem, "kind" | "key" | "id">,
  ): Promise<InstalledItem> {
    this.#ids.set(`${thing.kind}/${thing.key}`, thing.id);
    const base = checksumOf(await content.read(this.#in(content), thing.id));
    return { ...thing, content: checksum, base };
  }

  #resolved({ content }: PackItem): unknown {
    return mapJson(content, (leaf) => {
      const [, kind = "", key = ""] = (typeof leaf === "string" && REFERENCE.exec(leaf)) || [];
      return this.#ids.get(`${kind}/${key}`) ?? leaf;
    });
  }

  /** What belongs to the workspace is told in production, whatever the request says. */
  #in({ environmentScoped }: PackContent): PackContext {
    const ctx = this.#ctx;
    const environment = environmentScoped ? this.#environment : "production";
    ctx.switchPartition({ workspace: ctx.workspace.key, environment });
    // The revision that a request names is that of the pack, and not of what it made.
    return { ...ctx, caller: { ...ctx.caller, environment }, expectRevision: () => undefined };
  }
}
