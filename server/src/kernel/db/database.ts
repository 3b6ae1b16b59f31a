import pg from "pg";
import {
  queryBuilderOn,
  columnParsers,
  isFull,
  query,
  send,
  sendWithoutNames,
  type Tx,
  cancelPipelined,
} from "./connection.ts";
import {
  isFollowUpError,
  isConnectionLoss,
  isOldEpoch,
  isStale,
  isTransient,
  StaleRead,
} from "./errors.ts";
import { setPartitionSql, partitionName, type Partition } from "./partition.ts";
import { ENTER_EPOCH, ENTER_EPOCH_LOCALLY, READ_EPOCH_STATE } from "./setup/log-epoch.ts";
import type { PreparedDatabase } from "./setup/prepare-database.ts";
import { withResponseTimeout } from "./response-timeout.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { SqlRunner } from "./sql-runner.ts";
import { describeReads, describeTransaction } from "./statement-span.ts";
import { tracePart } from "../telemetry/span.ts";
import { TRANSACTION_TIMEOUT_MAX_MS } from "./transaction-limit.ts";
import { ignoreRejection, PendingStatements, Session, type Transaction } from "./transaction.ts";

export { TRANSACTION_TIMEOUT_MAX_MS } from "./transaction-limit.ts";
export type { Transaction, WorkLimits } from "./transaction.ts";
export { type EnvironmentName, NO_WORKSPACE, type Partition } from "./partition.ts";

export interface DatabaseOptions extends PreparedDatabase {
  readonly poolMax: number;
  /** Timeout for write transactions. */
  readonly transactionTimeoutMs?: number;
  /** The time without a response after which a connection is treated as lost. */
  readonly responseTimeoutMs?: number;
  readonly onError: (error: Error) => void;
}

export interface ReadOptions {
  readonly timeoutMs?: number;
}

const SYSTEM_CONNECTIONS_MAX = 5;
/** One session, which listens to other nodes. */
const SESSIONS_MAX = 1;
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * TCP keep-alive: an idle connection is probed after this time, and closed about ten seconds later without a
 * response.
 */
const KEEP_ALIVE_MS = 15_000;
/** Unused connections are closed after this time. A new one costs 20 ms of CPU time. */
const IDLE_MAX_MS = 5 * 60_000;
const ATTEMPTS_MAX = 4;
const BEGIN = "begin read write";
const COMMIT = "commit";
const ROLLBACK = "rollback";
/** The statement that ends a successful transaction. */
type Ending = typeof COMMIT | typeof ROLLBACK;

/** A queue is stalled if requests wait and `handedOut` does not increase. */
export interface QueueLoad {
  readonly waiting: number;
  readonly handedOut: number;
}

/**
 * Two connection pools: the application pool, always in one partition, and the system pool, which reads the log
 * and claims work across partitions. A further connection listens for notifications.
 *
 * Connections pipeline: `begin` is sent with the first statement and the last statement with `commit`, so a
 * simple command takes two round trips. A connection stays in its last partition, so a read in the same
 * partition is a single statement. A pooler shares server connections, so session state is impossible: each
 * transaction enters its partition, and statements have no names.
 *
 * A connection enters the epoch of the log before its first statement and never outlives it. Behind a pooler,
 * each writing transaction enters the epoch.
 */
export class Database {
  /** Runs SQL written by users. */
  readonly sql: SqlRunner;
  readonly #app: pg.Pool;
  readonly #system: pg.Pool;
  /** For work that needs the same server process for several statements. */
  readonly #sessions: pg.Pool;
  /** The current partition name of each connection. */
  readonly #partitions = new WeakMap<pg.PoolClient, string>();
  /** Connections without a pooler, each with a dedicated server process. */
  readonly #direct = new WeakSet<pg.PoolClient>();
  /** One promise per open connection, resolved when it ends. */
  readonly #ends = new Set<Promise<void>>();
  /** The generation of each connection. */
  readonly #generations = new WeakMap<pg.PoolClient, number>();
  /** Increases when all connections are outdated at once, see `#checkOut`. */
  #generation = 0;
  readonly #timeoutMs: number;
  readonly #memory: MemoryWatch | undefined;
  readonly #handedOut = new Map<pg.Pool, number>();

  constructor(options: DatabaseOptions) {
    this.#timeoutMs = options.transactionTimeoutMs ?? TRANSACTION_TIMEOUT_MAX_MS;
    this.#memory = options.isEmbedded ? new MemoryWatch() : undefined;
    const through = options.direct === undefined ? "unknown" : "pooler";
    // The driver's types omit `pipeline`.
    const app = { ...options.app, max: options.poolMax, pipeline: true } as pg.PoolConfig;
    const direct = options.direct?.system ?? options.system;
    this.#app = this.#pool(app, through, options);
    this.#system = this.#pool({ ...options.system, max: SYSTEM_CONNECTIONS_MAX }, through, options);
    this.#sessions = this.#pool({ ...direct, max: SESSIONS_MAX }, "unknown", options);
    this.sql = new SqlRunner(options, this.#memory);
  }

  /** Requests that wait for a connection. A long queue means that the database is the bottleneck. */
  get waiting(): number {
    return this.#app.waitingCount + this.#system.waitingCount;
  }

  /** Reported per pool, because the pools progress independently. */
  get loads(): readonly QueueLoad[] {
    return [this.#app, this.#system].map((pool) => ({
      waiting: pool.waitingCount,
      handedOut: this.#handedOut.get(pool) ?? 0,
    }));
  }

  /** One writing transaction. Repeats `work` after a deadlock or serialisation failure. */
  write<T>(partition: Partition, work: (session: Transaction) => Promise<T>): Promise<T> {
    return tracePart(describeTransaction, () => this.#writeAgain(partition, work, COMMIT));
  }

  /** Like `write`, but rolls back at the end. */
  writeAndRollBack<T>(
    partition: Partition,
    work: (session: Transaction) => Promise<T>,
  ): Promise<T> {
    return tracePart(describeTransaction, () => this.#writeAgain(partition, work, ROLLBACK));
  }

  async #writeAgain<T>(
    partition: Partition,
    work: (session: Transaction) => Promise<T>,
    ending: Ending,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#writeOnce(partition, work, ending);
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isTransient(error)) throw error;
      }
    }
  }

  /** Runs reads; each statement sees the data committed before it starts. `timeoutMs` limits each statement. */
  read<T>(
    partition: Partition,
    work: (tx: Tx) => Promise<T>,
    options: ReadOptions = {},
  ): Promise<T> {
    return tracePart(describeReads, () => this.#readAgain(partition, work, options));
  }

  async #readAgain<T>(
    partition: Partition,
    work: (tx: Tx) => Promise<T>,
    options: ReadOptions,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#readOnce(partition, work, options);
      } catch (error) {
        const isRetryable = isStale(error) || error instanceof StaleRead;
        if (attempt === ATTEMPTS_MAX || !isRetryable) throw error;
      }
    }
  }

  /** Runs one statement as the system role, which sees all workspaces. */
  async system<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const client = await this.#checkOut(this.#system);
    try {
      const result = await send<Row>(client, text, values);
      client.release(isFull(client));
      return result.rows;
    } catch (error) {
      client.release(isConnectionLoss(error) || isFull(client));
      throw error;
    }
  }

  /** Reserves a system connection. Returns undefined behind a pooler: statements can run in any session. */
  async systemSession(): Promise<pg.PoolClient | undefined> {
    const client = await this.#checkOut(this.#sessions);
    if (this.#direct.has(client)) return client;
    client.release(true);
    return undefined;
  }

  /** False if a new epoch has begun. The connections are then replaced. */
  async isCurrent(): Promise<boolean> {
    const [row] = await this.system<{ present: boolean | null }>(READ_EPOCH_STATE);
    if (row?.present !== false) return true;
    this.#generation += 1;
    return false;
  }

  async close(): Promise<void> {
    const pools = [this.#app, this.#system, this.#sessions];
    await Promise.all([...pools.map((pool) => pool.end()), this.sql.close()]);
    // The pool reports its end before its last connections are closed.
    await Promise.all(this.#ends);
  }

  #pool(
    config: pg.PoolConfig,
    through: "pooler" | "unknown",
    { onError, responseTimeoutMs }: Pick<DatabaseOptions, "onError" | "responseTimeoutMs">,
  ): pg.Pool {
    const pool = new pg.Pool({
      ...config,
      types: columnParsers,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_MAX_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      verify: (client: pg.PoolClient, done: (error?: Error) => void) => {
        this.#generations.set(client, this.#generation);
        if (through === "unknown") return this.#enterEpoch(client, done);
        sendWithoutNames(client);
        done();
      },
      // The types also omit `verify`.
    } as pg.PoolConfig);
    pool.on("error", onError);
    pool.on("acquire", () => this.#handedOut.set(pool, (this.#handedOut.get(pool) ?? 0) + 1));
    // A broken connection emits an error, which would end the process without a listener.
    pool.on("connect", (client) => {
      client.on("error", onError);
      // Connections lost with it would each be detected only after the same timeout.
      const onSilence = () => this.#outdate(client);
      withResponseTimeout(client, { timeoutMs: responseTimeoutMs, onSilence });
      const end = new Promise<void>((resolve) => client.once("end", resolve));
      this.#ends.add(end);
      void end.then(() => this.#ends.delete(end));
    });
    return pool;
  }

  /** Outdates a connection and all others of its generation. Connections opened after the first detection are kept. */
  #outdate(client: pg.PoolClient): void {
    if (this.#generations.get(client) === this.#generation) this.#generation += 1;
  }

  /** A connection of the current generation. A connection in an older epoch cannot append to the log. */
  async #checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (this.#generations.get(client) === this.#generation) return client;
      client.release(true);
    }
  }

  async #readOnce<T>(
    partition: Partition,
    work: (tx: Tx) => Promise<T>,
    { timeoutMs }: ReadOptions,
  ): Promise<T> {
    const name = partitionName(partition);
    const enter = setPartitionSql(partition, "session");
    const client = await this.#checkOut(this.#app);
    // A timeout must be set for the transaction only, so it must not be a session setting.
    const direct = this.#direct.has(client) && timeoutMs === undefined;
    const sent = new PendingStatements();
    if (!direct) {
      const limit = timeoutMs === undefined ? "" : `; set local statement_timeout = ${timeoutMs}`;
      const begin = `begin read only; ${setPartitionSql(partition, "local")}${limit}`;
      void sent.track(query(client, begin));
    }
    if (direct && this.#partitions.get(client) !== name) void sent.track(query(client, enter));
    this.#partitions.delete(client);
    let open = true;
    try {
      const result = await work(queryBuilderOn(client, () => open));
      // If entering failed, the rows would belong to the previous partition.
      await sent.all();
      open = false;
      if (direct) this.#partitions.set(client, name);
      else await query(client, "commit");
      client.release(isFull(client));
      return result;
    } catch (error) {
      open = false;
      if (!direct) query(client, "rollback").catch(ignoreRejection);
      client.release(isConnectionLoss(error) || isStale(error) || isFull(client));
      throw error;
    }
  }

  async #writeOnce<T>(
    partition: Partition,
    work: (session: Transaction) => Promise<T>,
    ending: Ending,
  ): Promise<T> {
    const client = await this.#checkOut(this.#app);
    const listeners: (() => void)[] = [];
    let result: T;
    try {
      result = await this.#transact(client, partition, { work, listeners, ending });
    } catch (error) {
      cancelPipelined(client);
      if (isOldEpoch(error)) this.#outdate(client);
      await query(client, ROLLBACK).then(
        () => client.release(isStale(error) || isOldEpoch(error) || isFull(client)),
        (lost: Error) => client.release(lost),
      );
      throw error;
    }
    client.release(isFull(client));
    // Called last, after the transaction ended and the connection was released.
    if (ending === COMMIT) for (const listener of listeners) listener();
    return result;
  }

  async #transact<T>(
    client: pg.PoolClient,
    partition: Partition,
    {
      work,
      listeners,
      ending,
    }: {
      work: (session: Transaction) => Promise<T>;
      listeners: (() => void)[];
      ending: Ending;
    },
  ): Promise<T> {
    const direct = this.#direct.has(client);
    const settings = setPartitionSql(partition, direct ? "session" : "local");
    const name = partitionName(partition);
    const isEntered = this.#partitions.get(client) === name;
    this.#partitions.delete(client);
    const sent = new PendingStatements();
    const session = new Session(client, sent, {
      partition,
      listeners,
      timeoutMs: this.#timeoutMs,
      memory: direct ? this.#memory : undefined,
    });
    // A session setting in a transaction survives its commit but not its rollback.
    const isEnteredBefore = direct && !isEntered && ending === ROLLBACK;
    if (isEnteredBefore) void sent.track(query(client, settings));
    if (isEntered || isEnteredBefore) session.begin(BEGIN);
    else if (direct) void sent.track(query(client, `${BEGIN}; ${settings}`));
    else void sent.track(query(client, `${BEGIN}; ${settings}; ${ENTER_EPOCH_LOCALLY}`));
    try {
      const result = await work(session).catch(async (error: unknown) => {
        if (isFollowUpError(error)) await sent.all();
        throw error;
      });
      session.close();
      const ended = sent.track(send(client, ending, []));
      await sent.all();
      // `commit` of a failed transaction responds with a rollback.
      if (ending === COMMIT && (await ended).command !== "COMMIT")
        throw new Error("It was rolled back.");
      if (direct) this.#partitions.set(client, name);
      return result;
    } finally {
      session.close();
    }
  }

  /**
   * Enters the epoch of the log and detects a pooler: the server process differs from the one reported at
   * login, and can change with each statement.
   */
  #enterEpoch(client: pg.PoolClient, done: (error?: Error) => void): void {
    client.query(ENTER_EPOCH, (error: Error | undefined, results: unknown) => {
      // One result per statement. Despite the type, none after an error.
      const [, entered] = (results ?? []) as readonly pg.QueryResult<{ pid: number }>[];
      const { processID } = client as unknown as { readonly processID: number };
      if (entered?.rows[0]?.pid === processID) this.#direct.add(client);
      else sendWithoutNames(client);
      done(error);
    });
  }
}
