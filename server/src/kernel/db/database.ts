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
  /** The time that a transaction may take that writes. */
  readonly transactionTimeoutMs?: number;
  /** The time after which a connection that sends no response is taken for lost. */
  readonly responseTimeoutMs?: number;
  readonly onError: (error: Error) => void;
}

export interface ReadOptions {
  readonly timeoutMs?: number;
}

const SYSTEM_CONNECTIONS_MAX = 5;
/** One, which listens to the other nodes. */
const SESSIONS_MAX = 1;
const CONNECT_TIMEOUT_MS = 10_000;
/** An idle connection is probed after so long, and closed some ten seconds later if there is no response. */
const KEEP_ALIVE_MS = 15_000;
/** An unused connection is closed after so long; a new one costs 20 ms of processor time: login, catalogs, plans. */
const IDLE_MAX_MS = 5 * 60_000;
const ATTEMPTS_MAX = 4;
const BEGIN = "begin read write";
const COMMIT = "commit";
const ROLLBACK = "rollback";
/** The statement that ends a transaction whose work is done. */
type Ending = typeof COMMIT | typeof ROLLBACK;

/**
 * While some wait and the number of what was handed out so far, such as connections, stands still, the queue is
 * stalled.
 */
export interface QueueLoad {
  readonly waiting: number;
  readonly handedOut: number;
}

/**
 * Two connection pools: the application's, which is always in one partition, and the system's, which reads
 * the log and claims work across all of them. Beside them the connection that listens.
 *
 * Connections pipeline: `begin` leaves together with the first statement, and the last statement
 * together with `commit`, so that a simple command is two round trips. A connection stays in the
 * partition that it was used in last, so that a read in the same one is a single statement. Behind a
 * pooler, which shares server connections, no state may stay: there each transaction enters its partition
 * by itself, and statements have no names.
 *
 * A connection enters the epoch of the log before its first statement, since it never outlives one; behind a
 * pooler each transaction that writes does.
 */
export class Database {
  /** For the SQL of people. */
  readonly sql: SqlRunner;
  readonly #app: pg.Pool;
  readonly #system: pg.Pool;
  /** For work that needs the same server process from one statement to the next. */
  readonly #sessions: pg.Pool;
  /** The partition that each connection is in, by name. */
  readonly #partitions = new WeakMap<pg.PoolClient, string>();
  /** Connections without a pooler, and so with a server process of their own. */
  readonly #direct = new WeakSet<pg.PoolClient>();
  /** One for each open connection, resolved at its end. */
  readonly #ends = new Set<Promise<void>>();
  /** The generation that each connection is of. */
  readonly #generations = new WeakMap<pg.PoolClient, number>();
  /** Counts how often all connections were outdated at once, see `#checkOut`. */
  #generation = 0;
  readonly #timeoutMs: number;
  readonly #memory: MemoryWatch | undefined;
  readonly #handedOut = new Map<pg.Pool, number>();

  constructor(options: DatabaseOptions) {
    this.#timeoutMs = options.transactionTimeoutMs ?? TRANSACTION_TIMEOUT_MAX_MS;
    this.#memory = options.isEmbedded ? new MemoryWatch() : undefined;
    const through = options.direct === undefined ? "unknown" : "pooler";
    // The driver's types know nothing of `pipeline`.
    const app = { ...options.app, max: options.poolMax, pipeline: true } as pg.PoolConfig;
    const direct = options.direct?.system ?? options.system;
    this.#app = this.#pool(app, through, options);
    this.#system = this.#pool({ ...options.system, max: SYSTEM_CONNECTIONS_MAX }, through, options);
    this.#sessions = this.#pool({ ...direct, max: SESSIONS_MAX }, "unknown", options);
    this.sql = new SqlRunner(options, this.#memory);
  }

  /** Requests that wait for a connection; a long queue means that the database is the limit. */
  get waiting(): number {
    return this.#app.waitingCount + this.#system.waitingCount;
  }

  /** Of each pool by itself: that one goes on says nothing about the other. */
  get loads(): readonly QueueLoad[] {
    return [this.#app, this.#system].map((pool) => ({
      waiting: pool.waitingCount,
      handedOut: this.#handedOut.get(pool) ?? 0,
    }));
  }

  /** One transaction that writes. A deadlock or serialisation failure runs `work` again. */
  write<T>(partition: Partition, work: (session: Transaction) => Promise<T>): Promise<T> {
    return tracePart(describeTransaction, () => this.#writeAgain(partition, work, COMMIT));
  }

  /** A write whose work is rolled back at its end. */
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

  /** Runs reads, each of which sees what is committed when it begins. With `timeoutMs`, none may take longer. */
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

  /** One statement as the system role, which sees every workspace. */
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

  /**
   * A connection of the system role that stays with the caller until it is released. Undefined when a
   * pooler is between even here: its statements would go to any session.
   */
  async systemSession(): Promise<pg.PoolClient | undefined> {
    const client = await this.#checkOut(this.#sessions);
    if (this.#direct.has(client)) return client;
    client.release(true);
    return undefined;
  }

  /** False when a new epoch has begun under the connections; they are replaced then. */
  async isCurrent(): Promise<boolean> {
    const [row] = await this.system<{ present: boolean | null }>(READ_EPOCH_STATE);
    if (row?.present !== false) return true;
    this.#generation += 1;
    return false;
  }

  async close(): Promise<void> {
    const pools = [this.#app, this.#system, this.#sessions];
    await Promise.all([...pools.map((pool) => pool.end()), this.sql.close()]);
    // A pool ends before its last connections do.
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
      // Nor of `verify`.
    } as pg.PoolConfig);
    pool.on("error", onError);
    pool.on("acquire", () => this.#handedOut.set(pool, (this.#handedOut.get(pool) ?? 0) + 1));
    // A broken connection emits an error which, without a listener, would end the process.
    pool.on("connect", (client) => {
      client.on("error", onError);
      // Others that were lost with it would each be found out by somebody who waits as long.
      const onSilence = () => this.#outdate(client);
      withResponseTimeout(client, { timeoutMs: responseTimeoutMs, onSilence });
      const end = new Promise<void>((resolve) => client.once("end", resolve));
      this.#ends.add(end);
      void end.then(() => this.#ends.delete(end));
    });
    return pool;
  }

  /** Outdates a connection and all of its time; what was opened since one of them was found out stays. */
  #outdate(client: pg.PoolClient): void {
    if (this.#generations.get(client) === this.#generation) this.#generation += 1;
  }

  /** A connection of the present generation: one that entered an older epoch can't append to the log. */
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
    // A time limit, too, must end with the transaction that it is for.
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
      // Had it not entered, the rows would be those of the partition before.
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
    // Called last: the transaction is over, and the connection is released.
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
    // A setting made within a transaction lasts beyond its commit and not beyond its rollback.
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
      // A transaction in which a statement failed answers "commit" with a rollback.
      if (ending === COMMIT && (await ended).command !== "COMMIT")
        throw new Error("It was rolled back.");
      if (direct) this.#partitions.set(client, name);
      return result;
    } finally {
      session.close();
    }
  }

  /**
   * Enters the epoch of the log, and detects a pooler between us and the server: its server process is another
   * one than the connection was told at its start, and may be yet another for the next statement.
   */
  #enterEpoch(client: pg.PoolClient, done: (error?: Error) => void): void {
    client.query(ENTER_EPOCH, (error: Error | undefined, results: unknown) => {
      // One result for each of its statements; none, in spite of the type, when there is an error.
      const [, entered] = (results ?? []) as readonly pg.QueryResult<{ pid: number }>[];
      const { processID } = client as unknown as { readonly processID: number };
      if (entered?.rows[0]?.pid === processID) this.#direct.add(client);
      else sendWithoutNames(client);
      done(error);
    });
  }
}
