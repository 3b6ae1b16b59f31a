/**
 * The schemas of tables, in memory: a statement about a record should not have to wait for another one
 * before it. The commit feed announces when one has changed.
 */
import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { HOPS_MAX, type RelatedTables } from "./field-type.ts";
import { findTable, listRevisions, listTables } from "../store.ts";
import { resolveTable, type TableSchema } from "./table-schema.ts";

/** The maximum number of cached tables, over all workspaces; a workspace without tables counts as one. */
const CACHED_TABLES_MAX = 5_000;
const TOPIC = "table";

/** A partition and a way to read it, for tables that are not cached. */
export interface TableSource {
  readonly services: PlatformServices;
  readonly partition: Partition;
  readonly read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
}

export async function findTableSchema(
  { services, partition, read }: TableSource,
  slug: string,
): Promise<TableSchema | undefined> {
  const cache = cacheOf(services);
  return cache.get(partition, slug) ?? read((tx) => cache.find(tx, partition, slug));
}

/** Reloads the table, for a caller who has detected that the cache is outdated. */
export function reloadTableSchema(
  source: TableSource,
  slug: string,
): Promise<TableSchema | undefined> {
  forgetTables(source);
  return findTableSchema(source, slug);
}

/** Finds the tables reachable from fields, and from the rules of those tables. */
export async function findRelated(
  source: TableSource,
  schema: TableSchema,
): Promise<RelatedTables> {
  const known = relatedTables.get(schema);
  if (known) return known;
  const found = new Map<string, TableSchema>();
  let level: readonly TableSchema[] = [schema];
  for (let hop = 0; hop <= 2 * HOPS_MAX && level.length > 0; hop += 1) {
    const slugs = new Set(level.flatMap(listTargets));
    const missing = [...slugs].filter((slug) => !found.has(slug));
    const next: TableSchema[] = [];
    for (const slug of missing) {
      const other = slug === schema.slug ? schema : await findTableSchema(source, slug);
      if (!other) continue;
      found.set(slug, other);
      next.push(other);
    }
    level = next;
  }
  relatedTables.set(schema, found);
  return found;
}

/** Valid while the table is cached, because changing any table drops all tables from the partition's cache. */
const relatedTables = new WeakMap<TableSchema, RelatedTables>();

function listTargets({ columns, computed }: TableSchema): readonly string[] {
  const lists = [...computed.values()].filter(({ type }) => type === "backlinks");
  return [
    ...columns.flatMap(({ target, linkTarget }) => target ?? linkTarget ?? []),
    ...lists.map(({ options }) => String(options["table"])),
  ];
}

/**
 * All current schemas of the partition, including a table that another node has just created. The list is the same
 * object until something changes.
 */
export function listTableSchemas({
  services,
  partition,
  read,
}: TableSource): Promise<readonly TableSchema[]> {
  return read(async (tx) => {
    const cached = await cacheOf(services).all(tx, partition);
    const revisions = await listRevisions(tx);
    const isCurrent = cached.every(({ id, revision }) => revisions.get(id) === revision);
    if (isCurrent && revisions.size === cached.length) return cached;
    return (await listTables(tx)).map((table) => resolveTable(table, partition));
  });
}

/** Drops a partition from the cache: its tables are reloaded when they are next opened. */
export function forgetTables({
  services,
  partition,
}: Pick<TableSource, "services" | "partition">): void {
  cacheOf(services).forget(partition);
}

interface CachedPartition {
  readonly tables: Map<string, TableSchema>;
  all: readonly TableSchema[] | undefined;
}

class TableCache {
  readonly #partitions = new Map<string, CachedPartition>();

  constructor({ commitFeed }: PlatformServices) {
    commitFeed.subscribe([TOPIC], ({ workspace, environment }) => {
      this.#partitions.delete(`${workspace} ${environment}`);
    });
  }

  get(partition: Partition, slug: string): TableSchema | undefined {
    return this.#of(partition).tables.get(slug);
  }

  async find(tx: Tx, partition: Partition, slug: string): Promise<TableSchema | undefined> {
    // The read fills this object, which is detached when the partition is dropped: a change during the read cannot
    // leave an outdated schema.
    const cached = this.#of(partition);
    const schema = cached.tables.get(slug);
    if (schema) return schema;
    const table = await findTable(tx, slug);
    return table && this.#add(cached, resolveTable(table, partition));
  }

  async all(tx: Tx, partition: Partition): Promise<readonly TableSchema[]> {
    const cached = this.#of(partition);
    cached.all ??= (await listTables(tx)).map((table) =>
      this.#add(cached, resolveTable(table, partition)),
    );
    return cached.all;
  }

  forget({ workspace, environment }: Partition): void {
    this.#partitions.delete(`${workspace} ${environment}`);
  }

  #of({ workspace, environment }: Partition): CachedPartition {
    const key = `${workspace} ${environment}`;
    let cached = this.#partitions.get(key);
    if (!cached) {
      cached = { tables: new Map(), all: undefined };
      this.#partitions.set(key, cached);
      this.#evictFor(cached);
    }
    return cached;
  }

  #add(cached: CachedPartition, schema: TableSchema): TableSchema {
    cached.tables.set(schema.slug, schema);
    this.#evictFor(cached);
    return schema;
  }

  /** Evicts the oldest cached partitions, except the current one. */
  #evictFor(inUse: CachedPartition): void {
    let count = 0;
    for (const { tables } of this.#partitions.values()) count += 1 + tables.size;
    for (const [key, cached] of this.#partitions) {
      if (count <= CACHED_TABLES_MAX) return;
      if (cached === inUse) continue;
      this.#partitions.delete(key);
      count -= 1 + cached.tables.size;
    }
  }
}

const caches = new WeakMap<PlatformServices["commitFeed"], TableCache>();

function cacheOf(services: PlatformServices): TableCache {
  let cache = caches.get(services.commitFeed);
  if (!cache) caches.set(services.commitFeed, (cache = new TableCache(services)));
  return cache;
}
