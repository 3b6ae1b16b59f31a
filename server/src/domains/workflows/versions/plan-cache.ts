import type { Platform, PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import { compilePlan, type Definition, type ExecutionPlan } from "../definition/index.ts";
import { nodeTypesOf } from "../node-types.ts";

export interface PlannedVersion {
  readonly versionId: string;
  readonly workflowId: string;
  readonly number: number;
  readonly definition: Definition;
  readonly plan: ExecutionPlan;
}

/** A stored version. */
export type LoadedVersion = Omit<PlannedVersion, "plan">;

/** Where to read a version: outside of a transaction, or in one. */
export type VersionSource = Platform | { readonly tx: Tx; readonly services: PlatformServices };

/**
 * The execution plan of a version. Undefined if the version does not exist, for example after retention. Versions
 * never change, so plans are cached. The id must come from a row visible to the caller, because the cache serves all
 * workspaces.
 */
export async function planOfVersion(
  from: VersionSource,
  versionId: string,
): Promise<PlannedVersion | undefined> {
  const services = "tx" in from ? from.services : from;
  const known = plansOf(services).get(versionId);
  if (known) return known;
  const [version] =
    "tx" in from
      ? await readVersions(from.tx, [versionId])
      : await loadVersions(from.db, [versionId]);
  return version && cachePlan(services, version);
}

/** The plans of several versions by id. Missing versions are omitted. */
export async function plansOfVersions(
  platform: Platform,
  versionIds: readonly string[],
): Promise<ReadonlyMap<string, PlannedVersion>> {
  const plans = new Map<string, PlannedVersion>();
  const unknown = new Set<string>();
  for (const id of versionIds) {
    const known = plansOf(platform).get(id);
    if (known) plans.set(id, known);
    else unknown.add(id);
  }
  if (unknown.size === 0) return plans;
  for (const version of await loadVersions(platform.db, [...unknown])) {
    plans.set(version.versionId, cachePlan(platform, version));
  }
  return plans;
}

/** Reads versions of any workspace. */
export function loadVersions(db: Database, ids: readonly string[]): Promise<LoadedVersion[]> {
  return db.system<LoadedVersion>(
    `select id as "versionId", workflow_id as "workflowId", number, definition
       from workflow_versions where id = any($1)`,
    [ids],
  );
}

async function readVersions(tx: Tx, ids: readonly string[]): Promise<LoadedVersion[]> {
  const rows = await tx
    .selectFrom("workflow_versions")
    .select(["id as versionId", "workflow_id as workflowId", "number", "definition"])
    .where("id", "in", ids)
    .execute();
  // Only checked definitions are stored.
  return rows.map((row) => ({ ...row, definition: row.definition as Definition }));
}

const CACHE_CHARACTERS_MAX = 32_000_000;
/** The cache weight of a plan in addition to its definition text, in characters. */
const PLAN_WEIGHT = 2_000;

const caches = new WeakMap<PlatformServices["contributions"], BoundedCache<PlannedVersion>>();

function plansOf({ contributions }: PlatformServices): BoundedCache<PlannedVersion> {
  let cache = caches.get(contributions);
  if (!cache) caches.set(contributions, (cache = new BoundedCache(CACHE_CHARACTERS_MAX)));
  return cache;
}

function cachePlan(services: PlatformServices, version: LoadedVersion): PlannedVersion {
  const plan = compilePlan(version.definition, nodeTypesOf(services));
  const planned = { ...version, plan };
  const weight = PLAN_WEIGHT + JSON.stringify(version.definition).length;
  plansOf(services).set(version.versionId, planned, weight);
  return planned;
}
