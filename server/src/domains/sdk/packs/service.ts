import semver from "semver";
import { userIdOf } from "#kernel/access/caller.ts";
import type { PackContext, PackContent } from "#kernel/contributions/pack-content.ts";
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import { PLATFORM_VERSION } from "#kernel/settings.ts";
import { checksumOf, type Descriptor } from "./descriptor.ts";
import { PackInstalled, PackUninstalled, PackUpgraded } from "./events.ts";
import { PackInstaller } from "./installer.ts";
import { assertCanInstall, kindsOf, type PackItem } from "./pack-items.ts";
import {
  type KeptItem,
  type InstalledItem,
  NewerInstalled,
  PackNeeded,
  referTo,
  RequirementsUnmet,
  toPack,
  type StoredPack,
  ItemsExist,
  VersionTaken,
} from "./pack.ts";
import * as store from "./store.ts";

/** Only this of a descriptor's engines is us. */
const ENGINE = "millrace";

/** Throws with everything that the pack needs and does not find. */
export function assertRequirements(
  { dependencies = {}, engines = {} }: Pick<Descriptor, "dependencies" | "engines">,
  installed: ReadonlyMap<string, string>,
): void {
  const errors: FieldError[] = Object.entries(dependencies).flatMap(([id, range]) => {
    const version = installed.get(id);
    if (version !== undefined && fits(version, range)) return [];
    const found = version === undefined ? "it is not installed" : `${version} is installed`;
    return [{ path: `/dependencies/${id}`, message: `needs ${range}, and ${found}` }];
  });
  const range = engines[ENGINE];
  if (range !== undefined && !fits(PLATFORM_VERSION, range)) {
    const message = `needs ${range}, and this is ${PLATFORM_VERSION}`;
    errors.push({ path: `/engines/${ENGINE}`, message });
  }
  const [first] = errors;
  if (first) {
    throw new Failure(RequirementsUnmet, { detail: `${first.path} ${first.message}`, errors });
  }
}

/** Whether a pack with these dependencies would miss another. */
export function needs(dependencies: Readonly<Record<string, string>>, id: string): boolean {
  return Object.hasOwn(dependencies, id);
}

function fits(version: string, range: string): boolean {
  return semver.satisfies(version, range, { includePrerelease: true });
}

export interface Installed {
  readonly pack: StoredPack;
  readonly status: "installed" | "upgraded" | "unchanged";
  readonly kept: readonly KeptItem[];
}

/** Installs a pack, or brings an installed one to another version: all of it, or nothing. */
export async function install(
  ctx: PackContext,
  descriptor: Descriptor,
  pieces: readonly PackItem[],
): Promise<Installed> {
  await store.lockPacks(ctx.tx);
  const former = await store.find(ctx.tx, descriptor.id);
  const checksum = checksumOf(descriptor);
  if (former && isCurrent(former, descriptor, checksum)) {
    return { pack: former, status: "unchanged", kept: [] };
  }
  const others = await store.all(ctx.tx);
  assertRequirements(descriptor, new Map(others.map(({ id, version }) => [id, version])));
  const environment = former?.environment ?? ctx.caller.environment;
  const workshop = new PackInstaller(ctx, environment);
  const made = await makeAll(workshop, pieces, former?.made ?? []);
  await removeDropped(ctx, workshop, former?.made ?? [], pieces);
  workshop.end();
  const { id, name, version, description = "", author = "", dependencies = {} } = descriptor;
  const installedBy = userIdOf(ctx.caller);
  const about = { id, environment, name, version, description, author, dependencies };
  const pack = await store.put(ctx.tx, { ...about, checksum, made, installedBy }, ctx.now);
  const { kept } = workshop;
  if (!former) {
    ctx.emit(PackInstalled, referTo(pack), toPack(pack));
    return { pack, status: "installed", kept };
  }
  const { version: previousVersion } = former;
  ctx.emit(PackUpgraded, referTo(pack), { ...toPack(pack), previousVersion, kept });
  return { pack, status: "upgraded", kept };
}

/** Removes a pack, and of what it made all that nobody has changed or uses. */
export async function uninstall(ctx: PackContext, id: string) {
  await store.lockPacks(ctx.tx);
  const pack = await store.get(ctx.tx, id);
  ctx.expectRevision(pack.revision);
  const needing = (await store.all(ctx.tx)).filter((other) => needs(other.dependencies, id));
  if (needing.length > 0) {
    const names = needing.map((other) => other.id).join(", ");
    throw new Failure(PackNeeded, { detail: `These packs depend on it: ${names}.` });
  }
  const workshop = new PackInstaller(ctx, pack.environment);
  const removed = await removeAll(ctx, workshop, pack.made);
  workshop.end();
  await store.remove(ctx.tx, id);
  const { packKey, name, version, description, author } = pack;
  const about = { id, packKey, name, version, description, author };
  const uninstalled = {
    ...about,
    removed: removed.map(({ kind, key, id: made }) => ({ kind, key, id: made })),
    kept: workshop.kept,
  };
  ctx.emit(PackUninstalled, referTo(pack), uninstalled);
  return uninstalled;
}

/** Whether there is nothing to do; throws where it can't be what is installed next. */
function isCurrent(former: StoredPack, { version }: Descriptor, checksum: string): boolean {
  const order = semver.compare(version, former.version);
  if (order < 0) {
    throw new Failure(NewerInstalled, { detail: `Version ${former.version} is installed.` });
  }
  if (order > 0) return false;
  if (checksum !== former.checksum) throw new Failure(VersionTaken);
  return true;
}

async function makeAll(
  workshop: PackInstaller,
  pieces: readonly PackItem[],
  former: readonly InstalledItem[],
): Promise<readonly InstalledItem[]> {
  const formerOf = ({ kind: content, key }: PackItem) =>
    former.find((thing) => thing.kind === content.kind && thing.key === key);
  const taken: PackItem[] = [];
  for (const piece of pieces) {
    if (!formerOf(piece) && (await workshop.isTaken(piece))) taken.push(piece);
  }
  if (taken.length > 0) {
    const names = taken.map(({ kind: content, key }) => `${content.kind}/${key}`).join(", ");
    throw new Failure(ItemsExist, {
      detail: `There are already: ${names}.`,
      errors: taken.map(({ path }) => ({ path, message: "is there already" })),
    });
  }
  const made: InstalledItem[] = [];
  for (const piece of pieces) {
    const known = formerOf(piece);
    made.push(await (known ? workshop.renew(piece, known) : workshop.make(piece)));
  }
  return made;
}

/** What the new version no longer has. Where somebody has made it their own, it stays theirs. */
async function removeDropped(
  ctx: PackContext,
  workshop: PackInstaller,
  former: readonly InstalledItem[],
  pieces: readonly PackItem[],
): Promise<void> {
  const dropped = former.filter(
    ({ kind, key }) => !pieces.some((piece) => piece.kind.kind === kind && piece.key === key),
  );
  await removeAll(ctx, workshop, dropped);
}

/** In the opposite order of their making. */
async function removeAll(
  { services, caller }: PackContext,
  workshop: PackInstaller,
  things: readonly InstalledItem[],
): Promise<readonly InstalledItem[]> {
  const kinds = new Map(kindsOf(services).map((content) => [content.kind, content]));
  const known = things.flatMap((thing) => {
    const content: PackContent | undefined = kinds.get(thing.kind);
    return content ? [{ thing, content }] : [];
  });
  assertCanInstall(
    known.map(({ content }) => content),
    caller,
  );
  const removed: InstalledItem[] = [];
  for (const { thing, content } of known.toReversed()) {
    if (await workshop.remove(content, thing)) removed.push(thing);
  }
  return removed;
}
