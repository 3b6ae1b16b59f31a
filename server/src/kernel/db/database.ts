import pg from "pg";
import { builderOn, columnParsers, query, send, type Tx } from "./connection.ts";
import { entering, nameOfPartition, type Partition } from "./partition.ts";

export { type EnvironmentName, NO_WORKSPACE, type Partition } from "./partition.ts";

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
 * Connections pipeline: `begin` leaves together with the first statement, and the last statement
 * together with `commit`, so that a simple command is two round trips. A connection stays in the
 * partition that it was used in last, so that a read in the same one is a single statement. Behind a
 * pooler that hands a server connection to whoever asks next, nothing may stay: there each
 * transaction enters its partition for itself.
 */
export class Database {
  readonly #app: pg.Pool;
  readonly #system: pg.Pool;
  /** The partition that each connection is in, by name. */
  readonly #partitions = new WeakMap<pg.PoolClient, string>();
  #pooled = false;
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

  /**
   * Finds out whether a pooler stands between us and the server: the process that answers is then
   * not the one that the connection was told of.
   */
  async recognisePooler(): Promise<void> {
    const client = await this.#app.connect();
    const { rows } = await send<{ pid: number }>(client, "select pg_backend_pid() as pid", []);
    const { processID } = client as unknown as { readonly processID: number };
    this.#pooled = rows[0]?.pid !== processID;
    client.release();
  }

  /** Reads that belong together, though each sees what is committed when it begins. */
  async read<T>(partition: Partition, work: (tx: Tx) => Promise<T>): Promise<T> {
    const name = nameOfPartition(partition);
    const enter = this.#pooled
      ? `begin read only; ${entering(partition, "local")}`
      : entering(partition, "session");
    const client = await this.#app.connect();
    const sent = new Outstanding();
    if (this.#partitions.get(client) !== name) void sent.track(query(client, enter));
    this.#partitions.delete(client);
    let open = true;
    try {
      const result = await work(builderOn(client, () => open));
      // Had it not entered, the rows would be those of whoever used the connection before.
      await sent.all();
      open = false;
      if (this.#pooled) await query(client, "commit");
      else this.#partitions.set(client, name);
      client.release();
      return result;
    } catch (error) {
      open = false;
      if (this.#pooled) query(client, "rollback").catch(ignoreHere);
      client.release(isConnectionLoss(error));
      throw error;
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
    const settings = entering(partition, this.#pooled ? "local" : "session");
    const name = nameOfPartition(partition);
    const client = await this.#app.connect();
    const known = this.#partitions.get(client) === name;
    this.#partitions.delete(client);
    const sent = new Outstanding();
    let open = true;
    const listeners: (() => void)[] = [];
    // A setting made within a transaction lasts beyond its commit and not beyond its rollback.
    void sent.track(query(client, known ? "begin read write" : `begin read write; ${settings}`));
    const session: Transaction = {
      tx: builderOn(client, () => open),
      enter: (other) => void sent.track(query(client, entering(other, "local"))),
      send: <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) =>
        sent.track(send<Row>(client, text, values).then(({ rows }) => rows)),
      onCommit: (listener) => void listeners.push(listener),
    };
    try {
      const result = await work(session);
      open = false;
      const committed = sent.track(query(client, "commit"));
      await sent.all();
      // A transaction in which a statement failed answers "commit" with a rollback.
      if ((await committed).command !== "COMMIT") {
        throw new Error("The transaction was rolled back.");
      }
      if (!this.#pooled) this.#partitions.set(client, name);
      client.release();
      for (const listener of listeners) listener();
      return result;
    } catch (error) {
      open = false;
      await query(client, "rollback").then(
        () => client.release(),
        (lost: Error) => client.release(lost),
      );
      throw error;
    }
  }
}

/** Statements that were sent; whoever ends the work waits for their answers. */
class Outstanding {
  readonly #answers: Promise<unknown>[] = [];

  track<R>(answer: Promise<R>): Promise<R> {
    // The rejection reaches whoever calls `all`; this keeps it from counting as unhandled.
    answer.catch(ignoreHere);
    this.#answers.push(answer);
    return answer;
  }

  async all(): Promise<void> {
    await Promise.all(this.#answers);
  }
}

function ignoreHere(): void {}

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
