import semver from "semver";
import { userIdOf } from "#kernel/access/caller.ts";
import type { PackContext, PackContent } from "#kernel/contributions/pack-content.ts";
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import { PLATFORM_VERSION } from "#kernel/settings.ts";
import { checksumOf, type Descriptor } from "./descriptor.ts";
import { PackInstalled, PackUninstalled, PackUpgraded } from "./events.ts";
import { PackInstaller } from "./installer.ts";
import { assertCanInstall, listContentTypes, type PackItem } from "./pack-items.ts";
import {
  type KeptItem,
  type InstalledItem,
  NewerInstalled,
  PackNeeded,
  packRef,
  RequirementsUnmet,
  toPack,
  type StoredPack,
  ItemsExist,
  VersionTaken,
} from "./pack.ts";
import * as store from "./store.ts";

/** The name of this platform in a descriptor's `engines`. */
const ENGINE = "millrace";

/** Throws a failure that lists every unmet dependency and engine. */
export function assertRequirements(
  { dependencies = {}, engines = {} }: Pick<Descriptor, "dependencies" | "engines">,
  installed: ReadonlyMap<string, string>,
): void {
  const errors: FieldError[] = Object.entries(dependencies).flatMap(([id, range]) => {
    const version = installed.get(id);
    if (version !== undefined && satisfies(version, range)) return [];
    const found = version === undefined ? "it is not installed" : `${version} is installed`;
    return [{ path: `/dependencies/${id}`, message: `requires ${range}, and ${found}` }];
  });
  const range = engines[ENGINE];
  if (range !== undefined && !satisfies(PLATFORM_VERSION, range)) {
    const message = `requires ${range}, but this is ${PLATFORM_VERSION}`;
    errors.push({ path: `/engines/${ENGINE}`, message });
  }
  const others = Object.keys(engines);
  if (range === undefined && others.length > 0) {
    errors.push({ path: "/engines", message: `names ${others.join(", ")} and not ${ENGINE}` });
  }
  const [first] = errors;
  if (first) {
    throw new Failure(RequirementsUnmet, { detail: `${first.path} ${first.message}`, errors });
  }
}

/** True if the dependencies contain the pack. */
export function dependsOn(dependencies: Readonly<Record<string, string>>, id: string): boolean {
  return Object.hasOwn(dependencies, id);
}

function satisfies(version: string, range: string): boolean {
  return semver.satisfies(version, range, { includePrerelease: true });
}

export interface InstallResult {
  readonly pack: StoredPack;
  readonly status: "installed" | "upgraded" | "unchanged";
  readonly keptItems: readonly KeptItem[];
}

/** Installs a pack, or upgrades an installed one, in one transaction. */
export async function install(
  ctx: PackContext,
  descriptor: Descriptor,
  items: readonly PackItem[],
): Promise<InstallResult> {
  await store.lockPacks(ctx.tx);
  const previous = await store.find(ctx.tx, descriptor.id);
  const checksum = checksumOf(descriptor);
  if (previous && isCurrent(previous, descriptor, checksum)) {
    return { pack: previous, status: "unchanged", keptItems: [] };
  }
  const others = await store.listVersions(ctx.tx);
  assertRequirements(descriptor, new Map(others.map(({ id, version }) => [id, version])));
  const environment = previous?.environment ?? ctx.caller.environment;
  const installer = new PackInstaller(ctx, environment);
  const made = await installItems(installer, items, previous?.made ?? []);
  await removeDroppedItems(ctx, installer, previous?.made ?? [], items);
  installer.restorePartition();
  const { id, name, version, description = "", author = "", dependencies = {} } = descriptor;
  const installedBy = userIdOf(ctx.caller);
  const fields = { id, environment, name, version, description, author, dependencies };
  const pack = await store.upsertPack(ctx.tx, { ...fields, checksum, made, installedBy }, ctx.now);
  const { keptItems } = installer;
  if (!previous) {
    ctx.emit(PackInstalled, packRef(pack), toPack(pack));
    return { pack, status: "installed", keptItems };
  }
  const { version: previousVersion } = previous;
  ctx.emit(PackUpgraded, packRef(pack), { ...toPack(pack), previousVersion, kept: keptItems });
  return { pack, status: "upgraded", keptItems };
}

/** Removes a pack with its items, except those that were edited or are in use. */
export async function uninstall(ctx: PackContext, id: string) {
  await store.lockPacks(ctx.tx);
  const pack = await store.get(ctx.tx, id);
  ctx.expectRevision(pack.revision);
  const dependents = (await store.listVersions(ctx.tx)).filter((other) =>
    dependsOn(other.dependencies, id),
  );
  if (dependents.length > 0) {
    const names = dependents.map((other) => other.id).join(", ");
    throw new Failure(PackNeeded, { detail: `These packs depend on it: ${names}.` });
  }
  const installer = new PackInstaller(ctx, pack.environment);
  const removed = await removeItems(ctx, installer, pack.made);
  installer.restorePartition();
  await store.remove(ctx.tx, id);
  const { packKey, name, version, description, author } = pack;
  const fields = { id, packKey, name, version, description, author };
  const uninstalled = {
    ...fields,
    removed: removed.map(({ kind, key, id: made }) => ({ kind, key, id: made })),
    kept: installer.keptItems,
  };
  ctx.emit(PackUninstalled, packRef(pack), uninstalled);
  return uninstalled;
}

/** True if this version is installed. Throws if the installed one is newer or has other content. */
function isCurrent(previous: StoredPack, { version }: Descriptor, checksum: string): boolean {
  const order = semver.compare(version, previous.version);
  if (order < 0) {
    throw new Failure(NewerInstalled, { detail: `Version ${previous.version} is installed.` });
  }
  if (order > 0) return false;
  if (checksum !== previous.checksum) throw new Failure(VersionTaken);
  return true;
}

async function installItems(
  installer: PackInstaller,
  items: readonly PackItem[],
  previous: readonly InstalledItem[],
): Promise<readonly InstalledItem[]> {
  const findPrevious = ({ contentType, key }: PackItem) =>
    previous.find((item) => item.kind === contentType.kind && item.key === key);
  const conflicting: PackItem[] = [];
  for (const item of items) {
    if (!findPrevious(item) && (await installer.exists(item))) conflicting.push(item);
  }
  if (conflicting.length > 0) {
    const names = conflicting
      .map(({ contentType, key }) => `${contentType.kind}/${key}`)
      .join(", ");
    throw new Failure(ItemsExist, {
      detail: `These resources already exist: ${names}.`,
      errors: conflicting.map(({ path }) => ({ path, message: "already exists" })),
    });
  }
  const made: InstalledItem[] = [];
  for (const item of items) {
    const matched = findPrevious(item);
    made.push(await (matched ? installer.upgrade(item, matched) : installer.create(item)));
  }
  return made;
}

/** Removes items that the new version does not contain, except edited ones. */
async function removeDroppedItems(
  ctx: PackContext,
  installer: PackInstaller,
  previous: readonly InstalledItem[],
  items: readonly PackItem[],
): Promise<void> {
  const dropped = previous.filter(
    ({ kind, key }) => !items.some((item) => item.contentType.kind === kind && item.key === key),
  );
  await removeItems(ctx, installer, dropped);
}

/** Removes items in reverse installation order. Returns the removed ones. */
async function removeItems(
  { services, caller }: PackContext,
  installer: PackInstaller,
  items: readonly InstalledItem[],
): Promise<readonly InstalledItem[]> {
  const contentTypes = new Map(listContentTypes(services).map((type) => [type.kind, type]));
  const known = items.flatMap((item) => {
    const contentType: PackContent | undefined = contentTypes.get(item.kind);
    return contentType ? [{ item, contentType }] : [];
  });
  assertCanInstall(
    known.map(({ contentType }) => contentType),
    caller,
  );
  const removed: InstalledItem[] = [];
  for (const { item, contentType } of known.toReversed()) {
    if (await installer.remove(contentType, item)) removed.push(item);
  }
  return removed;
}
