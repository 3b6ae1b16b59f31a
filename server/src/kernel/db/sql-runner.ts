import pg from "pg";
import { isConnectionLoss } from "./errors.ts";
import { withOwnerClient } from "./setup/owner-connection.ts";
import type { Partition } from "./partition.ts";
import type { PreparedDatabase } from "./setup/prepare-database.ts";

/** At most so many questions of people at once: the database has other things to do. */
export const SQL_CONNECTIONS_MAX = 4;
const CONNECT_TIMEOUT_MS = 10_000;

export interface SqlQuery {
  /** Whose schema may be read; none when the question is about no table. */
  readonly partition: Partition | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface SqlRunnerOptions extends Pick<PreparedDatabase, "sql" | "direct"> {
  readonly onError: (error: Error) => void;
}

export interface SqlResult {
  readonly columns: readonly { readonly name: string; readonly typeId: number }[];
  /** As PostgreSQL writes them; null is null. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/**
 * Runs SQL that people wrote: on connections of its own, whose login can read nothing by itself. Each
 * question is one statement in a read-only transaction, as the role that reads the schema of its
 * workspace and environment and nothing else. The transaction is always rolled back, so that no
 * setting, lock or other state of a session outlives it.
 */
export class SqlRunner {
  readonly #pool: pg.Pool;
  /** Where a question is cancelled: all connections of a pooler may be taken by questions. */
  readonly #aside: pg.ClientConfig;
  readonly #onError: (error: Error) => void;

  constructor({ sql, direct, onError }: SqlRunnerOptions) {
    const common = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
    this.#aside = { ...(direct?.sql ?? sql), ...common };
    this.#onError = onError;
    this.#pool = new pg.Pool({ ...sql, ...common, max: SQL_CONNECTIONS_MAX });
    this.#pool.on("error", onError);
    this.#pool.on("connect", (client) => client.on("error", onError));
  }

  async run(question: SqlQuery): Promise<SqlResult> {
    question.signal?.throwIfAborted();
    const client = await this.#pool.connect();
    try {
      const result = await this.#ask(client, question);
      await leave(client);
      // A cancellation that comes too late must not meet the next question.
      client.release(question.signal?.aborted === true);
      return result;
    } catch (error) {
      // A connection of which we do not know what it is doing is worth nothing.
      const lost = isConnectionLoss(error) || question.signal?.aborted === true;
      const clean = !lost && (await leave(client).catch(() => false));
      client.release(!clean);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #ask(client: pg.PoolClient, question: SqlQuery): Promise<SqlResult> {
    const { text, values, signal } = question;
    const pid = await enter(client, question);
    let stopped: Promise<unknown> = Promise.resolve();
    const stop = () => void (stopped = this.#cancel(pid).catch(this.#onError));
    signal?.addEventListener("abort", stop, { once: true });
    try {
      signal?.throwIfAborted();
      const { fields, rows } = await client.query<(string | null)[]>(asked(text, values));
      const columns = fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID }));
      return { columns, rows };
    } finally {
      signal?.removeEventListener("abort", stop);
      // Once the transaction has ended, a pooler may give the server process to somebody else.
      await stopped;
    }
  }

  /** On a connection of its own, since all others may be busy; a role may end its own statements. */
  async #cancel(pid: number): Promise<void> {
    await withOwnerClient(this.#aside, (client) =>
      client.query("select pg_cancel_backend($1)", [pid]),
    );
  }
}

/** By the extended protocol, even without values: it takes one statement and no more. */
function asked(text: string, values: readonly unknown[]) {
  return {
    text,
    values: [...values],
    rowMode: "array" as const,
    queryMode: "extended",
    types: { getTypeParser: () => (value: string) => value },
  };
}

/** However the server is set up: how the text is read, and how values are written. */
const SETTINGS = [
  "search_path = pg_catalog",
  "standard_conforming_strings = on",
  "timezone = 'UTC'",
  "datestyle = 'ISO, YMD'",
  "intervalstyle = 'iso_8601'",
  "bytea_output = 'hex'",
  "extra_float_digits = 1",
];

/** Begins the transaction; tells the server process, which behind a pooler is not the connection's. */
async function enter(client: pg.PoolClient, { partition, timeoutMs }: SqlQuery): Promise<number> {
  const settings = [
    ...(partition ? [`role ${pg.escapeIdentifier(readerOf(partition))}`] : []),
    ...SETTINGS,
    `statement_timeout = ${Math.ceil(timeoutMs)}`,
  ];
  const answers: unknown = await client.query(
    `begin read only; ${settings.map((setting) => `set local ${setting}; `).join("")}` +
      "select pg_backend_pid() as pid",
  );
  // Several statements in one message get an answer each.
  const last = (answers as pg.QueryResult<{ pid: number }>[]).at(-1);
  return last?.rows[0]?.pid ?? 0;
}

/**
 * Ends the transaction, and whatever of the session does not end with it, such as an advisory lock:
 * what "discard all" stands for, but in the one message, which reaches the same server process even
 * through a pooler.
 */
const LEAVE = [
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

async function leave(client: pg.PoolClient): Promise<true> {
  await client.query(LEAVE);
  return true;
}

/** The schema that holds the tables of a partition, and the roles of migration 0015. */
export function schemaOf(partition: Partition): string {
  return `tables_${suffixOf(partition)}`;
}

/** Who owns that schema; the application becomes it to change the structure of tables. */
export function ownerOf(partition: Partition): string {
  return `millrace_o${suffixOf(partition)}`;
}

/** Who can read that schema and do nothing else. */
export function readerOf(partition: Partition): string {
  return `millrace_r${suffixOf(partition)}`;
}

function suffixOf({ workspace, environment }: Partition): string {
  const hex = workspace.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new Error("A partition's workspace is a uuid.");
  return `${environment.charAt(0)}_${hex}`;
}
