import pg from "pg";
import { builderOn, columnParsers, send, type Tx } from "./connection.ts";

export type EnvironmentName = "production" | "staging" | "development";

/** Which rows a transaction may see and write: `(workspace, environment)` partitions everything. */
export interface Partition {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  /** The person, where a question is about them and not about a workspace. */
  readonly user?: string;
}

/** No row has this workspace: the partition of what happens before a workspace is chosen. */
export const NO_WORKSPACE = "00000000-0000-0000-0000-000000000000";

export interface Transaction {
  readonly tx: Tx;
  /** Goes on in another partition, for the rare act that concerns several. */
  enter(partition: Partition): void;
  /** Sends a statement. Its answer need not be awaited: the commit does, and fails if it failed. */
  send<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]>;
  /** Called once when, and only when, the transaction has committed. */
  onCommit(listener: () => void): void;
}

export interface DatabaseOptions {
  readonly app: pg.ClientConfig;
  readonly system: pg.ClientConfig;
  readonly poolMax: number;
  readonly onError: (error: Error) => void;
}

const SYSTEM_CONNECTIONS_MAX = 6;
const CONNECT_TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 4;
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK = "40P01";

/**
 * Two pools: the application's, which is always in one partition, and the system's, which reads the
 * log and claims work across all of them.
 *
 * Connections pipeline: `begin` with its settings leaves together with the first statement, and the
 * last statement together with `commit`, so that a simple command is two round trips.
 */
export class Database {
  readonly #app: pg.Pool;
  readonly #system: pg.Pool;
  #closing = false;

  constructor(options: DatabaseOptions) {
    const common = { types: columnParsers, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
    this.#app = new pg.Pool({
      ...options.app,
      ...common,
      pipeline: true,
      max: options.poolMax,
    } as pg.PoolConfig);
    this.#system = new pg.Pool({ ...options.system, ...common, max: SYSTEM_CONNECTIONS_MAX });
    // A pool says that it has ended before its last connections have; their end is no news then.
    const onError = (error: Error): void => {
      if (!this.#closing) options.onError(error);
    };
    for (const pool of [this.#app, this.#system]) {
      pool.on("error", onError);
      // A connection that breaks while it is in use tells its statement and, unheard, ends the process.
      pool.on("connect", (client) => client.on("error", onError));
    }
  }

  /** Requests that wait for a connection; a long queue means that the database is the limit. */
  get waiting(): number {
    return this.#app.waitingCount;
  }

  /** One transaction that writes. A deadlock or serialisation failure runs `work` again. */
  async write<T>(partition: Partition, work: (session: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#writeOnce(partition, work);
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isTransient(error)) throw error;
      }
    }
  }

  /** One transaction that only reads; the answer does not wait for its end. */
  async read<T>(partition: Partition, work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.#app.connect();
    let open = true;
    const begun = client.query(`begin read only; ${settingsOf(partition)}`);
    begun.catch(ignoreHere);
    try {
      return await work(builderOn(client, () => open));
    } finally {
      open = false;
      client.query("commit").then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
    }
  }

  /** One statement as the system role, which sees every workspace. */
  async system<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const client = await this.#system.connect();
    try {
      const result = await send<Row>(client, text, values);
      client.release();
      return result.rows;
    } catch (error) {
      client.release(isConnectionLoss(error));
      throw error;
    }
  }

  /** A connection of the system role that stays with the caller until it is released. */
  systemClient(): Promise<pg.PoolClient> {
    return this.#system.connect();
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([this.#app.end(), this.#system.end()]);
  }

  async #writeOnce<T>(
    partition: Partition,
    work: (session: Transaction) => Promise<T>,
  ): Promise<T> {
    const client = await this.#app.connect();
    let open = true;
    const outstanding: Promise<unknown>[] = [];
    const listeners: (() => void)[] = [];
    const track = <R>(answer: Promise<R>): Promise<R> => {
      answer.catch(ignoreHere);
      outstanding.push(answer);
      return answer;
    };
    void track(client.query(`begin; ${settingsOf(partition)}`));
    const session: Transaction = {
      tx: builderOn(client, () => open),
      enter: (other) => void track(client.query(settingsOf(other))),
      send: <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) =>
        track(send<Row>(client, text, values).then(({ rows }) => rows)),
      onCommit: (listener) => void listeners.push(listener),
    };
    try {
      const result = await work(session);
      open = false;
      const committed = client.query("commit");
      committed.catch(ignoreHere);
      await Promise.all(outstanding);
      // A transaction in which a statement failed answers "commit" with a rollback.
      if ((await committed).command !== "COMMIT")
        throw new Error("The transaction was rolled back.");
      client.release();
      for (const listener of listeners) listener();
      return result;
    } catch (error) {
      open = false;
      await client.query("rollback").then(
        () => client.release(),
        (lost: Error) => client.release(lost),
      );
      throw error;
    }
  }
}

/** True for errors after which the same transaction may well succeed. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}

/** True when the connection, the pool or the database is gone, rather than the statement wrong. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) {
    return (
      error instanceof Error && /connect|terminated|not queryable|timeout/i.test(error.message)
    );
  }
  return /^(08|57P0|53)/.test(code) || /^E(CONN|PIPE|NOENT|TIMEDOUT)/.test(code);
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const USER_ID = /^usr_[0-9a-z]{26}$/;

/** Plain text, because it shares a message with `begin`; each value is one of a closed alphabet. */
function settingsOf({ workspace, environment, user }: Partition): string {
  if (!UUID.test(workspace) || !/^(production|staging|development)$/.test(environment)) {
    throw new Error("A partition is a workspace key and an environment.");
  }
  if (user !== undefined && !USER_ID.test(user)) throw new Error("A partition's user is an id.");
  return (
    `set local millrace.workspace = '${workspace}'; set local millrace.environment = '${environment}'` +
    (user === undefined ? "" : `; set local millrace.person = '${user}'`)
  );
}

/** The same rejection reaches whoever awaits the work; this keeps it from counting as unhandled. */
function ignoreHere(): void {}
