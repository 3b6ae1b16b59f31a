/**
 * Applies a folder of definitions to the workspace like a pack upgrade: new items are created, different ones
 * replaced, missing ones removed on request, and items edited by users kept. Existing items of the workspace are
 * adopted.
 */
import { isDeepStrictEqual } from "node:util";
import semver from "semver";
import { userIdOf } from "#kernel/access/caller.ts";
import type { PackContent, PackContext } from "#kernel/contributions/pack-content.ts";
import { ENVIRONMENT_NAMES } from "#kernel/db/partition.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { checksumOf } from "../descriptor.ts";
import { PackInstalled, PackUpgraded } from "../events.ts";
import { PackInstaller } from "../installer.ts";
import { assertCanInstall, listContentTypes, type PackItem } from "../pack-items.ts";
import { type InstalledItem, packRef, type StoredPack, toPack } from "../pack.ts";
import * as store from "../store.ts";
import type { ItemChange, ProjectInput, ProjectResult } from "./project.ts";

const FIRST_VERSION = "1.0.0";

/** The id of a project's pack in an environment. Project names contain no dots. */
export function toPackId(project: string, environment: EnvironmentName = "production"): string {
  return environment === "production" ? `@code/${project}` : `@code/${project}.${environment}`;
}

export async function applyProject(
  ctx: PackContext,
  { project, items: contents, onEdited = "keep", onMissing = "keep" }: ProjectInput,
  items: readonly PackItem[],
): Promise<ProjectResult> {
  await store.lockPacks(ctx.tx);
  const { environment } = ctx.caller;
  const previous = await store.find(ctx.tx, toPackId(project, environment));
  const installer = new PackInstaller(ctx, environment);
  const shared = await readShared(ctx, project);
  const work = {
    installer,
    made: previous?.made ?? [],
    shared,
    isForced: onEdited === "overwrite",
    isPruned: onMissing === "remove",
  };
  const changes: ItemChange[] = [];
  const made: InstalledItem[] = [];
  for (const item of orderItems(items)) {
    const { change, installed } = await applyItem(work, item);
    changes.push(change);
    made.push(installed);
  }
  const dropped = work.made.filter(
    (one) =>
      !items.some(({ contentType, key }) => contentType.kind === one.kind && key === one.key),
  );
  const removed = await removeItems(ctx, work, dropped);
  changes.push(...removed.changes);
  made.push(...removed.left);
  installer.restorePartition();
  const reported = changes.filter(({ act }) => act !== "unchanged");
  const kept = reported.filter(({ act }) => act === "kept").length;
  const missing = reported.filter(({ act }) => act === "missing").length;
  const changed = reported.length - kept - missing;
  const isSame = previous !== undefined && isDeepStrictEqual(previous.made, made);
  const pack = isSame
    ? previous
    : await savePack(ctx, { previous, project, contents, made, environment });
  return { project, version: pack.version, changed, kept, changes: reported };
}

/** The workspace-wide items that the project created when applied to other environments. */
async function readShared(
  { tx, services, caller }: PackContext,
  project: string,
): Promise<readonly InstalledItem[]> {
  const kinds = new Set(
    listContentTypes(services).flatMap((type) => (type.environmentScoped ? [] : [type.kind])),
  );
  const shared: InstalledItem[] = [];
  for (const environment of ENVIRONMENT_NAMES) {
    if (environment === caller.environment) continue;
    const pack = await store.find(tx, toPackId(project, environment));
    shared.push(...(pack?.made ?? []).filter(({ kind }) => kinds.has(kind)));
  }
  return shared;
}

/** Sorts items of a kind after their dependencies. A folder sorts them by name. */
function orderItems(items: readonly PackItem[]): readonly PackItem[] {
  const byKey = new Map(items.map((item) => [`${item.contentType.kind}/${item.key}`, item]));
  const ordered = new Set<PackItem>();
  const entered = new Set<PackItem>();
  // A cycle can start with any item. Each item is visited once, which limits the depth.
  const enter = (item: PackItem): void => {
    if (entered.has(item)) return;
    entered.add(item);
    const { contentType, content } = item;
    for (const key of contentType.source?.needs?.(content as never) ?? []) {
      const needed = byKey.get(`${contentType.kind}/${key}`);
      if (needed) enter(needed);
    }
    ordered.add(item);
  };
  for (const item of items) enter(item);
  return [...ordered];
}

interface ProjectWork {
  readonly installer: PackInstaller;
  readonly made: readonly InstalledItem[];
  /** Items of the same project in other environments. */
  readonly shared: readonly InstalledItem[];
  readonly isForced: boolean;
  /** True to remove items that are missing in the folder. */
  readonly isPruned: boolean;
}

/** The last applied state of an item in any environment. If the item equals one of them, users have not edited it. */
async function findOwn(
  { installer, made, shared }: ProjectWork,
  contentType: PackContent,
  key: string,
): Promise<{ readonly own?: InstalledItem; readonly edit?: "edited" | "deleted" | undefined }> {
  const all = [...made, ...shared].filter(
    (one) => one.kind === contentType.kind && one.key === key,
  );
  const [first] = all;
  if (!first) return {};
  for (const own of all) {
    if ((await installer.findEdit(contentType, own)) === undefined) return { own };
  }
  return { own: first, edit: await installer.findEdit(contentType, first) };
}

async function applyItem(
  work: ProjectWork,
  item: PackItem,
): Promise<{ readonly change: ItemChange; readonly installed: InstalledItem }> {
  const { installer, isForced } = work;
  const { contentType, key } = item;
  const { kind } = contentType;
  const { own, edit } = await findOwn(work, contentType, key);
  const known = edit === "deleted" || !own ? await installer.findAdopted(item) : own;
  if (!known) {
    const installed = await installer.create(item);
    const after = await installer.readItem(contentType, installed.id);
    return { change: { kind, key, act: "create", after }, installed };
  }
  const before = await installer.readItem(contentType, known.id);
  if (edit === "edited" && !isForced) {
    // Other items reference the id.
    await installer.upgrade(item, known);
    const after = await installer.previewReplaced(item, known);
    if (isDeepStrictEqual(before, after)) {
      const installed = { ...known, base: checksumOf(before), content: item.checksum };
      return { change: { kind, key, act: "unchanged" }, installed };
    }
    const isSame = known.content === item.checksum;
    const reason = isSame
      ? "The item was edited in the workspace."
      : "The item was edited in the workspace and in the folder.";
    return { change: { kind, key, act: "kept", reason, before, after }, installed: known };
  }
  const base = edit === "edited" ? checksumOf(before) : known.base;
  const content = edit === "edited" ? "" : known.content;
  const installed = await installer.upgrade(item, { ...known, base, content });
  const after = await installer.readItem(contentType, installed.id);
  if (isDeepStrictEqual(before, after))
    return { change: { kind, key, act: "unchanged" }, installed };
  return { change: { kind, key, act: "update", before, after }, installed };
}

/** Removes missing items on request, with the permission to delete them. */
async function removeItems(
  { services, caller }: PackContext,
  work: ProjectWork,
  dropped: readonly InstalledItem[],
): Promise<{ readonly changes: ItemChange[]; readonly left: InstalledItem[] }> {
  const { installer, isPruned } = work;
  const changes: ItemChange[] = [];
  const left: InstalledItem[] = [];
  // Referencing items are removed before referenced ones.
  for (const contentType of listContentTypes(services).toReversed()) {
    const gone = dropped.filter(({ kind }) => kind === contentType.kind).toReversed();
    if (isPruned && gone.length > 0) assertCanInstall([contentType], caller);
    for (const item of gone) {
      const { kind, key, id } = item;
      const before = await installer.readItem(contentType, id);
      if (before === undefined) continue;
      if (!isPruned) {
        changes.push({
          kind,
          key,
          act: "missing",
          reason: "The item was removed from the folder.",
        });
        left.push(item);
        continue;
      }
      const { own } = await findOwn(work, contentType, key);
      if (await installer.remove(contentType, own ?? item)) {
        changes.push({ kind, key, act: "remove", before });
        continue;
      }
      const { reason, detail } = installer.keptItems.at(-1) ?? {};
      const why =
        reason === "edited"
          ? "The item was edited in the workspace."
          : (detail ?? "The item is in use.");
      changes.push({ kind, key, act: "kept", reason: why });
      left.push(item);
    }
  }
  return { changes, left };
}

async function savePack(
  ctx: PackContext,
  about: {
    readonly previous: StoredPack | undefined;
    readonly project: string;
    readonly contents: ProjectInput["items"];
    readonly made: readonly InstalledItem[];
    readonly environment: StoredPack["environment"];
  },
): Promise<StoredPack> {
  const { previous, project, contents, made, environment } = about;
  const version = (previous && semver.inc(previous.version, "patch")) ?? FIRST_VERSION;
  const values = {
    id: toPackId(project, environment),
    environment,
    name: project,
    version,
    description: "Items of a folder of code",
    author: "",
    dependencies: {},
    checksum: checksumOf(contents),
    made,
    installedBy: userIdOf(ctx.caller),
  };
  const pack = await store.upsertPack(ctx.tx, values, ctx.now);
  if (previous) {
    const { version: previousVersion } = previous;
    ctx.emit(PackUpgraded, packRef(pack), { ...toPack(pack), previousVersion, kept: [] });
  } else ctx.emit(PackInstalled, packRef(pack), toPack(pack));
  return pack;
}
