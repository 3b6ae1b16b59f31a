import type { Duplex } from "node:stream";
import pg from "pg";
import { TurnTimer } from "../work/turn-timer.ts";
import { isConnectionLoss } from "./errors.ts";
import { MemoryExceeded, type MemoryWatch } from "./memory-watch.ts";
import { withOwnerClient } from "./setup/owner-connection.ts";
import type { Partition } from "./partition.ts";
import type { PreparedDatabase } from "./setup/prepare-database.ts";

/** The maximum number of concurrent user queries, to leave capacity for other work. */
export const SQL_CONNECTIONS_MAX = 4;
const CONNECT_TIMEOUT_MS = 10_000;

export interface SqlQuery {
  /** The partition whose schema the query can read. Undefined if it reads no tables. */
  readonly partition: Partition | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly timeoutMs: number;
  /** Rows beyond this number of values are dropped on arrival, because parsing millions of texts takes long. */
  readonly cellsMax?: number | undefined;
  /** Aborted when the result is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

export interface SqlRunnerOptions extends Pick<PreparedDatabase, "sql" | "direct"> {
  readonly onError: (error: Error) => void;
}

export interface SqlResult {
  readonly columns: readonly { readonly name: string; readonly typeId: number }[];
  /** Values in PostgreSQL's text format, or null. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/**
 * Runs SQL written by users on separate connections whose login has no read access itself. Each query is one
 * statement in a read-only transaction, with a role that can only read the schema of its workspace and
 * environment. The transaction is always rolled back, so no settings, locks or other session state remain.
 */
export class SqlRunner {
  readonly #pool: pg.Pool;
  /** For cancellations, because queries can occupy all pooler connections. */
  readonly #cancelConfig: pg.ClientConfig;
  readonly #onError: (error: Error) => void;
  readonly #memory: MemoryWatch | undefined;

  constructor({ sql, direct, onError }: SqlRunnerOptions, memory: MemoryWatch | undefined) {
    this.#memory = memory;
    const common = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
    this.#cancelConfig = { ...(direct?.sql ?? sql), ...common };
    this.#onError = onError;
    this.#pool = new pg.Pool({ ...sql, ...common, max: SQL_CONNECTIONS_MAX });
    this.#pool.on("error", onError);
    this.#pool.on("connect", (client) => client.on("error", onError));
  }

  async run(query: SqlQuery): Promise<SqlResult> {
    query.signal?.throwIfAborted();
    const client = await this.#pool.connect();
    try {
      const result = await this.#execute(client, query);
      await endTransaction(client);
      // A late cancellation must not hit the next query.
      client.release(query.signal?.aborted === true);
      return result;
    } catch (error) {
      // Connections in an unknown state or with high memory use are not reused.
      const lost =
        isConnectionLoss(error) ||
        error instanceof MemoryExceeded ||
        query.signal?.aborted === true;
      const clean = !lost && (await endTransaction(client).catch(() => false));
      client.release(!clean);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #execute(client: pg.PoolClient, query: SqlQuery): Promise<SqlResult> {
    const { text, values, signal } = query;
    const pid = await beginTransaction(client, query);
    let cancelled: Promise<unknown> = Promise.resolve();
    const onAbort = () => void (cancelled = this.#cancel(pid).catch(this.#onError));
    signal?.addEventListener("abort", onAbort, { once: true });
    const stopPauses = pauseBetweenChunks(client);
    try {
      signal?.throwIfAborted();
      const run = () => readRows(client, toQueryConfig(text, values), query.cellsMax);
      const { fields, rows } = await (this.#memory ? this.#memory.run(pid, run) : run());
      const columns = fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID }));
      return { columns, rows };
    } finally {
      stopPauses();
      signal?.removeEventListener("abort", onAbort);
      // After the transaction, a pooler may assign the server process to another client.
      await cancelled;
    }
  }

  /** Uses a separate connection, because all others may be busy. A role can cancel its own statements. */
  async #cancel(pid: number): Promise<void> {
    await withOwnerClient(this.#cancelConfig, (client) =>
      client.query("select pg_cancel_backend($1)", [pid]),
    );
  }
}

type Row = readonly (string | null)[];

function readRows(
  client: pg.PoolClient,
  config: ReturnType<typeof toQueryConfig>,
  cellsMax = Number.POSITIVE_INFINITY,
): Promise<{ readonly fields: readonly pg.FieldDef[]; readonly rows: readonly Row[] }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly fields: readonly pg.FieldDef[];
    readonly rows: readonly Row[];
  }>();
  const rows: Row[] = [];
  const query = client.query(new pg.Query(config));
  query.on("row", (row: Row) => {
    if (rows.length * row.length < cellsMax) rows.push(row);
  });
  query.on("end", ({ fields }) => resolve({ fields, rows }));
  query.on("error", reject);
  return promise;
}

/** Reads a large response in several event loop turns. Returns a function that stops it. */
function pauseBetweenChunks(client: pg.PoolClient): () => void {
  // Missing in the client's types, although every version has it.
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } })
    .connection;
  const turn = new TurnTimer();
  const pause = (): void => {
    if (!turn.isOver()) return;
    stream.pause();
    void turn.next().then(() => stream.resume());
  };
  // Runs after the client's own listener, which parses the chunk.
  stream.on("data", pause);
  return () => void stream.off("data", pause);
}

/** Uses the extended protocol even without values, because it accepts one statement only. */
function toQueryConfig(text: string, values: readonly unknown[]) {
  return {
    text,
    values: [...values],
    rowMode: "array" as const,
    queryMode: "extended",
    types: { getTypeParser: () => (value: string) => value },
  };
}

/** Settings that must not depend on the server: parsing and value formats. */
const SETTINGS = [
  "search_path = pg_catalog",
  "standard_conforming_strings = on",
  "timezone = 'UTC'",
  "datestyle = 'ISO, YMD'",
  "intervalstyle = 'iso_8601'",
  "bytea_output = 'hex'",
  "extra_float_digits = 1",
];

/** Begins the transaction and returns the server process, which differs from the connection's behind a pooler. */
async function beginTransaction(
  client: pg.PoolClient,
  { partition, timeoutMs }: SqlQuery,
): Promise<number> {
  const settings = [
    ...(partition ? [`role ${pg.escapeIdentifier(readerOf(partition))}`] : []),
    ...SETTINGS,
    `statement_timeout = ${Math.ceil(timeoutMs)}`,
  ];
  const results: unknown = await client.query(
    `begin read only; ${settings.map((setting) => `set local ${setting}; `).join("")}` +
      "select pg_backend_pid() as pid",
  );
  // Several statements in one message return one result each.
  const last = (results as pg.QueryResult<{ pid: number }>[]).at(-1);
  return last?.rows[0]?.pid ?? 0;
}

/**
 * Ends the transaction and resets session state, such as advisory locks. These are the steps of "discard all",
 * sent as one message to reach the same server process through a pooler.
 */
const END_TRANSACTION = [
  "rollback",
  "close all",
  "set session authorization default",
  "reset all",
  "deallocate all",
  "unlisten *",
  "select pg_advisory_unlock_all()",
  "discard plans",
  "discard temp",
  "discard sequences",
].join("; ");

async function endTransaction(client: pg.PoolClient): Promise<true> {
  await client.query(END_TRANSACTION);
  return true;
}

/** The schema with the tables of a partition. Its roles are defined in migration 0015. */
export function schemaOf(partition: Partition): string {
  return `tables_${suffixOf(partition)}`;
}

/** The role that owns the schema. The application switches to it to change tables. */
export function ownerOf(partition: Partition): string {
  return `millrace_o${suffixOf(partition)}`;
}

/** The role that can only read the schema. */
export function readerOf(partition: Partition): string {
  return `millrace_r${suffixOf(partition)}`;
}

function suffixOf({ workspace, environment }: Partition): string {
  const hex = workspace.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new Error("A partition's workspace is a uuid.");
  return `${environment.charAt(0)}_${hex}`;
}
