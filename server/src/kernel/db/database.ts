import pg from "pg";
import {
  builderOn,
  columnParsers,
  post,
  query,
  send,
  type Tx,
  withdrawPosts,
} from "./connection.ts";
import { isAftermath, isConnectionLoss, isStale, isTransient, OutOfDate } from "./errors.ts";
import { entering, nameOfPartition, type Partition } from "./partition.ts";
import { SqlRunner } from "./sql-runner.ts";

export { type EnvironmentName, NO_WORKSPACE, type Partition } from "./partition.ts";

export interface Transaction {
  readonly tx: Tx;
  /** Where it is now. */
  readonly partition: Partition;
  /** Goes on in another partition, for the rare act that concerns several. */
  enter(partition: Partition): void;
  /**
   * Sends a statement. Its answer need not be awaited: the commit does, and fails if it failed, with
   * the error that `explain` makes of what PostgreSQL says.
   */
  send<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
    explain?: (error: unknown) => unknown,
  ): Promise<Row[]>;
  /** Sends a statement, with no array among its values, whose answer is of no interest. The commit fails if it fails. */
  post(text: string, values: readonly unknown[]): void;
  /** Does what may fail and be undone for itself: what came before it stays, and the transaction goes on. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
  /** Called once when, and only when, the transaction has committed. */
  onCommit(listener: () => void): void;
}

export interface DatabaseOptions {
  readonly app: pg.ClientConfig;
  readonly system: pg.ClientConfig;
  readonly sql: pg.ClientConfig;
  readonly poolMax: number;
  readonly onError: (error: Error) => void;
}

export interface ReadOptions {
  readonly timeoutMs?: number;
}

const SYSTEM_CONNECTIONS_MAX = 6;
const CONNECT_TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 4;
const BEGIN = "begin read write";
const COMMIT = "commit";

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
  /** For the SQL of people. */
  readonly sql: SqlRunner;
  readonly #app: pg.Pool;
  readonly #system: pg.Pool;
  /** The partition that each connection is in, by name. */
  readonly #partitions = new WeakMap<pg.PoolClient, string>();
  /** Connections that are known to lead to one and the same server process. */
  readonly #direct = new WeakSet<pg.PoolClient>();
  /** One for each open connection, resolved at its end. */
  readonly #ends = new Set<Promise<void>>();

  constructor(options: DatabaseOptions) {
    const common = { types: columnParsers, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
    this.#app = new pg.Pool({
      ...options.app,
      ...common,
      pipeline: true,
      max: options.poolMax,
      verify: (client: pg.PoolClient, done: (error?: Error) => void) => {
        this.#recognise(client, done);
      },
    } as pg.PoolConfig);
    this.sql = new SqlRunner(options.sql, options.onError);
    this.#system = new pg.Pool({ ...options.system, ...common, max: SYSTEM_CONNECTIONS_MAX });
    for (const pool of [this.#app, this.#system]) {
      pool.on("error", options.onError);
      // A connection that breaks while it is in use tells its statement and, unheard, ends the process.
      pool.on("connect", (client) => {
        client.on("error", options.onError);
        const end = new Promise<void>((resolve) => client.once("end", resolve));
        this.#ends.add(end);
        void end.then(() => this.#ends.delete(end));
      });
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
   * Reads that belong together, though each sees what is committed when it begins. With `timeoutMs`, none
   * of the statements may take longer.
   */
  async read<T>(
    partition: Partition,
    work: (tx: Tx) => Promise<T>,
    options: ReadOptions = {},
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#readOnce(partition, work, options);
      } catch (error) {
        const again = isStale(error) || error instanceof OutOfDate;
        if (attempt === ATTEMPTS_MAX || !again) throw error;
      }
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
    await Promise.all([this.#app.end(), this.#system.end(), this.sql.close()]);
    // A pool says that it has ended before its last connections have.
    await Promise.all(this.#ends);
  }

  async #readOnce<T>(
    partition: Partition,
    work: (tx: Tx) => Promise<T>,
    { timeoutMs }: ReadOptions,
  ): Promise<T> {
    const name = nameOfPartition(partition);
    const enter = entering(partition, "session");
    const client = await this.#app.connect();
    // A time limit, too, must end with the transaction that it is for.
    const direct = this.#direct.has(client) && timeoutMs === undefined;
    const sent = new Outstanding();
    if (!direct) {
      const limit = timeoutMs === undefined ? "" : `; set local statement_timeout = ${timeoutMs}`;
      const begin = `begin read only; ${entering(partition, "local")}${limit}`;
      void sent.track(query(client, begin));
    }
    if (direct && this.#partitions.get(client) !== name) void sent.track(query(client, enter));
    this.#partitions.delete(client);
    let open = true;
    try {
      const result = await work(builderOn(client, () => open));
      // Had it not entered, the rows would be those of whoever used the connection before.
      await sent.all();
      open = false;
      if (direct) this.#partitions.set(client, name);
      else await query(client, "commit");
      client.release();
      return result;
    } catch (error) {
      open = false;
      if (!direct) query(client, "rollback").catch(ignoreHere);
      client.release(isConnectionLoss(error) || isStale(error));
      throw error;
    }
  }

  async #writeOnce<T>(
    partition: Partition,
    work: (session: Transaction) => Promise<T>,
  ): Promise<T> {
    const client = await this.#app.connect();
    const listeners: (() => void)[] = [];
    let result: T;
    try {
      result = await this.#transact(client, partition, { work, listeners });
    } catch (error) {
      withdrawPosts(client);
      await query(client, "rollback").then(
        () => client.release(isStale(error)),
        (lost: Error) => client.release(lost),
      );
      throw error;
    }
    client.release();
    // Whatever they do, the transaction is over and the connection somebody else's.
    for (const listener of listeners) listener();
    return result;
  }

  async #transact<T>(
    client: pg.PoolClient,
    partition: Partition,
    act: { work: (session: Transaction) => Promise<T>; listeners: (() => void)[] },
  ): Promise<T> {
    const direct = this.#direct.has(client);
    const settings = entering(partition, direct ? "session" : "local");
    const name = nameOfPartition(partition);
    const known = this.#partitions.get(client) === name;
    this.#partitions.delete(client);
    const sent = new Outstanding();
    const session = new Session(client, sent, partition, act.listeners);
    // A setting made within a transaction lasts beyond its commit and not beyond its rollback.
    if (known) session.post(BEGIN, []);
    else void sent.track(query(client, `${BEGIN}; ${settings}`));
    try {
      const result = await act.work(session).catch(async (error: unknown) => {
        if (isAftermath(error)) await sent.all();
        throw error;
      });
      session.close();
      const committed = sent.track(send(client, COMMIT, []));
      await sent.all();
      // A transaction in which a statement failed answers "commit" with a rollback.
      if ((await committed).command !== "COMMIT") throw new Error("It was rolled back.");
      if (direct) this.#partitions.set(client, name);
      return result;
    } finally {
      session.close();
    }
  }

  /**
   * A pooler between us and the server answers with another process than the one that the connection
   * was told of, and may hand the next statement to yet another.
   */
  #recognise(client: pg.PoolClient, done: (error?: Error) => void): void {
    client.query<{ pid: number }>("select pg_backend_pid() as pid", (error, result) => {
      const { processID } = client as unknown as { readonly processID: number };
      // In spite of its type, there is no error when all is well, and no result when it is not.
      if (result?.rows[0]?.pid === processID) this.#direct.add(client);
      done(error);
    });
  }
}

/** One transaction as those see it who work in it; of no use to them once it is over. */
class Session implements Transaction {
  readonly tx: Tx;
  readonly #client: pg.PoolClient;
  readonly #sent: Outstanding;
  readonly #listeners: (() => void)[];
  /** The answers that may well be failures which somebody can explain. */
  readonly #unsure: Promise<unknown>[] = [];
  #partition: Partition;
  #open = true;

  constructor(
    client: pg.PoolClient,
    sent: Outstanding,
    partition: Partition,
    listeners: (() => void)[],
  ) {
    this.#client = client;
    this.#sent = sent;
    this.#partition = partition;
    this.#listeners = listeners;
    this.tx = builderOn(client, () => this.#open);
  }

  get partition(): Partition {
    return this.#partition;
  }

  post(text: string, values: readonly unknown[]): void {
    this.#assertOpen();
    if (!post(this.#client, text, values)) void this.send(text, values);
  }

  enter(partition: Partition): void {
    this.#assertOpen();
    // They are of the partition that it leaves.
    for (const { text, values } of withdrawPosts(this.#client)) void this.send(text, values);
    this.#partition = partition;
    void this.#sent.track(query(this.#client, entering(partition, "local")));
  }

  send<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
    explain?: (error: unknown) => unknown,
  ): Promise<Row[]> {
    this.#assertOpen();
    // In one step: what was sent after a statement that failed fails too, and must not be heard first.
    const answer = send<Row>(this.#client, text, values).then(
      ({ rows }) => rows,
      (error: unknown) => {
        throw explain ? explain(error) : error;
      },
    );
    if (explain) this.#unsure.push(answer);
    return this.#sent.track(answer);
  }

  async attempt<T>(work: () => Promise<T>): Promise<T> {
    const sentBefore = this.#sent.count;
    const listenersBefore = this.#listeners.length;
    const unsureBefore = this.#unsure.length;
    void this.send("savepoint attempt", []);
    try {
      const result = await work();
      await Promise.all(this.#unsure);
      // One around this one has the same name, and must be the one that it falls back to.
      void this.send("release savepoint attempt", []);
      return result;
    } catch (error) {
      withdrawPosts(this.#client);
      this.#sent.forgetSince(sentBefore);
      this.#listeners.length = listenersBefore;
      this.#unsure.length = unsureBefore;
      void this.send("rollback to savepoint attempt", []);
      void this.send("release savepoint attempt", []);
      throw error;
    }
  }

  onCommit(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#open = false;
  }

  /** The connection may already serve somebody else's transaction. */
  #assertOpen(): void {
    if (!this.#open) throw new Error("A statement was sent after its transaction had ended.");
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

  /** Throws what failed first: whatever was sent after it failed because of it. */
  async all(): Promise<void> {
    const answers = await Promise.allSettled(this.#answers);
    const failed = answers.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  get count(): number {
    return this.#answers.length;
  }

  /** What was sent from there on was undone: whether it failed is of no concern any more. */
  forgetSince(count: number): void {
    this.#answers.length = count;
  }
}

function ignoreHere(): void {}
