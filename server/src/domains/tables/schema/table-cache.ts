import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { sqlStateOf, StaleRead } from "#kernel/db/errors.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { Failure, Invalid } from "#kernel/operation/failure.ts";
import { resolveTable, type TableSchema } from "./table-schema.ts";
import { findTable, listTables } from "../store.ts";
import { VERSION_COLUMN } from "../sql-names.ts";
import { NoSuchTable } from "../table.ts";

/** Tables that are kept in memory, over all workspaces; a workspace without any counts as one. */
const KNOWN_MAX = 5_000;
const TOPIC = "table";

interface Asking {
  readonly tx: Tx;
  readonly services: PlatformServices;
  readonly caller: Caller;
}

/** A table of the partition that the caller is in; fails when there is none. */
export async function requireTable(asking: Asking, slug: string): Promise<TableSchema> {
  const table = await lookupTable(asking, slug);
  if (!table) throw new Failure(NoSuchTable);
  return table;
}

/** A table of the partition that the caller is in, if there is one. */
export function lookupTable(asking: Asking, slug: string): Promise<TableSchema | undefined> {
  return catalogOf(asking.services).find(asking.tx, partitionOfCaller(asking.caller), slug);
}

/** All of them. */
export function tablesOf({ tx, services, caller }: Asking): Promise<readonly TableSchema[]> {
  return catalogOf(services).all(tx, partitionOfCaller(caller));
}

type Read = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** The same for who is in no call; `read` is only used when the table is not known here. */
export async function findTableSchema(
  services: PlatformServices,
  partition: Partition,
  slug: string,
  read: Read,
): Promise<TableSchema | undefined> {
  const catalog = catalogOf(services);
  return catalog.known(partition, slug) ?? read((tx) => catalog.find(tx, partition, slug));
}

/** The same for who has seen that what is known here is no longer so. */
export async function reloadTable(
  services: PlatformServices,
  partition: Partition,
  slug: string,
  read: Read,
): Promise<TableSchema | undefined> {
  catalogOf(services).forget(partition);
  return findTableSchema(services, partition, slug, read);
}

/**
 * Statements by a definition that has just changed fail, as there is no such column or shape, or because
 * a new one must be filled. Then the work is done once more, by the new definition.
 */
export async function retryOnSchemaChange<T>(asking: Asking, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isSchemaOutdated(asking, error) ?? error;
  }
}

/** What to fail with instead when such a change may be what is behind an error. */
export function isSchemaOutdated(
  { services, caller }: Pick<Asking, "services" | "caller">,
  error: unknown,
): StaleRead | undefined {
  const code = sqlStateOf(error);
  if (code === undefined || !OF_STRUCTURE.has(code)) return undefined;
  if (again.has(caller) && !isOfShape(error)) return undefined;
  again.add(caller);
  catalogOf(services).forget(partitionOfCaller(caller));
  return new StaleRead({ cause: error });
}

/**
 * Before something is refused by a definition: it may have just changed elsewhere, and whoever changed
 * it should find that it has. Then the work is done once more, by the new definition.
 */
export async function assertSchemaCurrent(asking: Asking, table: TableSchema): Promise<void> {
  if (again.has(asking.caller)) return;
  const { revision } = (await findTable(asking.tx, table.slug)) ?? {};
  if (revision === table.revision) return;
  again.add(asking.caller);
  catalogOf(asking.services).forget(partitionOfCaller(asking.caller));
  throw new StaleRead({ cause: "The table has changed." });
}

/** Reads what somebody asks of a table; it is not refused by a definition that has changed. */
export async function readWithTable<T>(
  asking: Asking,
  table: TableSchema,
  read: () => T,
): Promise<T> {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure && error.type === Invalid)
      await assertSchemaCurrent(asking, table);
    throw error;
  }
}

/** Whether a statement named a shape that the table no longer has, which is never anybody's mistake. */
function isOfShape(error: unknown): boolean {
  return error instanceof Error && VERSION_COLUMN.test(error.message);
}

/** Those whose call is being done once more. */
const again = new WeakSet<Caller>();
/** No such column, table or key; a value is missing, breaks a check, or is of another type. */
const OF_STRUCTURE = new Set("42703 42P01 3F000 42P10 23502 23514 42804 22P02".split(" "));

interface Known {
  readonly tables: Map<string, TableSchema>;
  all: readonly TableSchema[] | undefined;
}

/**
 * The definitions of tables, in memory: a statement about a record should not have to wait for another
 * one before it. The log tells when one has changed.
 */
class Catalog {
  readonly #known = new Map<string, Known>();

  constructor({ commitFeed }: PlatformServices) {
    commitFeed.subscribe([TOPIC], ({ workspace, environment }) => {
      this.#known.delete(`${workspace} ${environment}`);
    });
  }

  known(partition: Partition, slug: string): TableSchema | undefined {
    return this.#of(partition).tables.get(slug);
  }

  async find(tx: Tx, partition: Partition, slug: string): Promise<TableSchema | undefined> {
    // What is read from here on goes into this object, which nobody looks at any more once it was
    // forgotten: a change during the read can't leave the old definition behind.
    const known = this.#of(partition);
    const table = known.tables.get(slug);
    if (table) return table;
    const found = await findTable(tx, slug);
    return found && this.#keep(known, resolveTable(found, partition));
  }

  async all(tx: Tx, partition: Partition): Promise<readonly TableSchema[]> {
    const known = this.#of(partition);
    known.all ??= (await listTables(tx)).map((table) =>
      this.#keep(known, resolveTable(table, partition)),
    );
    return known.all;
  }

  forget({ workspace, environment }: Partition): void {
    this.#known.delete(`${workspace} ${environment}`);
  }

  #of({ workspace, environment }: Partition): Known {
    const key = `${workspace} ${environment}`;
    let known = this.#known.get(key);
    if (!known) {
      known = { tables: new Map(), all: undefined };
      this.#known.set(key, known);
      this.#makeRoomFor(known);
    }
    return known;
  }

  #keep(known: Known, table: TableSchema): TableSchema {
    known.tables.set(table.slug, table);
    this.#makeRoomFor(known);
    return table;
  }

  /** What was looked at first goes first; whoever asks for it again reads it again. */
  #makeRoomFor(asked: Known): void {
    let count = 0;
    for (const { tables } of this.#known.values()) count += 1 + tables.size;
    for (const [key, known] of this.#known) {
      if (count <= KNOWN_MAX) return;
      if (known === asked) continue;
      this.#known.delete(key);
      count -= 1 + known.tables.size;
    }
  }
}

const catalogs = new WeakMap<PlatformServices["commitFeed"], Catalog>();

function catalogOf(services: PlatformServices): Catalog {
  let catalog = catalogs.get(services.commitFeed);
  if (!catalog) catalogs.set(services.commitFeed, (catalog = new Catalog(services)));
  return catalog;
}
