import type pg from "pg";
import {
  queryBuilderOn,
  retire,
  sendPipelined,
  query,
  send,
  type Tx,
  cancelPipelined,
} from "./connection.ts";
import { MemoryExceeded, type MemoryWatch } from "./memory-watch.ts";
import { setPartitionSql, type Partition } from "./partition.ts";
import { LIMIT_STATEMENTS_SQL, TransactionLimit } from "./transaction-limit.ts";

/** The limits of work that runs the SQL of people. */
export interface WorkLimits {
  readonly timeoutMs: number;
}

/** A transaction, as the code that runs in it sees it. */
export interface Transaction {
  readonly tx: Tx;
  /** The partition that it is in now. */
  readonly partition: Partition;
  /** Goes on in another partition, for the rare transaction that concerns several. */
  enter(partition: Partition): void;
  /**
   * Sends a statement. Its result need not be awaited: the commit does, and fails if it failed, with the error
   * that `explain` makes of PostgreSQL's.
   */
  send<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
    explain?: (error: unknown) => unknown,
  ): Promise<Row[]>;
  /** Sends a statement whose result does not matter. The commit fails if it fails. */
  post(text: string, values: readonly unknown[]): void;
  /**
   * Runs work in a savepoint: if it fails, it alone is rolled back, and the transaction goes on. With limits,
   * which the SQL of people has, it has less time than the transaction, and little memory.
   */
  attempt<T>(work: () => Promise<T>, limits?: WorkLimits): Promise<T>;
  /** Called once when, and only when, the transaction has committed. */
  onCommit(listener: () => void): void;
}

/** The parts of a session beside its connection. */
export interface SessionOptions {
  readonly partition: Partition;
  readonly listeners: (() => void)[];
  readonly timeoutMs: number;
  /** Watches the server process of the connection, where that is possible. */
  readonly memory: MemoryWatch | undefined;
}

/** One transaction on a connection, closed once it is over. */
export class Session implements Transaction {
  readonly tx: Tx;
  readonly #client: pg.PoolClient;
  readonly #sent: PendingStatements;
  readonly #listeners: (() => void)[];
  /** The results that a savepoint awaits: their errors may be explained. */
  readonly #explained: Promise<unknown>[] = [];
  readonly #limit: TransactionLimit;
  readonly #memory: MemoryWatch | undefined;
  #partition: Partition;
  #open = true;

  constructor(client: pg.PoolClient, sent: PendingStatements, options: SessionOptions) {
    this.#client = client;
    this.#sent = sent;
    this.#partition = options.partition;
    this.#listeners = options.listeners;
    this.#limit = new TransactionLimit(options.timeoutMs);
    this.#memory = options.memory;
    this.tx = queryBuilderOn(client, () => this.#prepareNext());
  }

  get partition(): Partition {
    return this.#partition;
  }

  /** Begins it, before any limit can be set. */
  begin(text: string): void {
    if (!sendPipelined(this.#client, text, [])) void this.#sent.track(send(this.#client, text, []));
  }

  post(text: string, values: readonly unknown[]): void {
    this.#assertOpen();
    this.#applyLimit();
    if (!sendPipelined(this.#client, text, values)) void this.send(text, values);
  }

  enter(partition: Partition): void {
    this.#assertOpen();
    this.#applyLimit();
    // The pipelined statements belong to the partition that it leaves.
    for (const { text, values } of cancelPipelined(this.#client)) void this.send(text, values);
    this.#partition = partition;
    void this.#sent.track(query(this.#client, setPartitionSql(partition, "local")));
  }

  send<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
    explain?: (error: unknown) => unknown,
  ): Promise<Row[]> {
    this.#assertOpen();
    this.#applyLimit();
    // In one step: statements after a failed one fail too, and their errors must not come first.
    const result = send<Row>(this.#client, text, values).then(
      ({ rows }) => rows,
      (error: unknown) => {
        throw explain ? explain(error) : error;
      },
    );
    if (explain) this.#explained.push(result);
    return this.#sent.track(result);
  }

  async attempt<T>(work: () => Promise<T>, limits?: WorkLimits): Promise<T> {
    const sentBefore = this.#sent.count;
    const listenersBefore = this.#listeners.length;
    const explainedBefore = this.#explained.length;
    const partitionBefore = this.#partition;
    void this.send("savepoint attempt", []);
    const lengthen = limits && this.#limit.shorten(limits.timeoutMs);
    try {
      const result = await (limits ? this.#watch(work) : work()).finally(lengthen);
      await Promise.all(this.#explained);
      // An outer savepoint has the same name, and must be the one that a later rollback goes to.
      void this.send("release savepoint attempt", []);
      return result;
    } catch (error) {
      cancelPipelined(this.#client);
      this.#sent.forgetSince(sentBefore);
      this.#listeners.length = listenersBefore;
      this.#explained.length = explainedBefore;
      // Not by `send`: in a transaction that has failed no limit can be set.
      void this.#sent.track(send(this.#client, "rollback to savepoint attempt", []));
      // With everything else it takes back the settings that were made since.
      this.#partition = partitionBefore;
      this.#limit.forget();
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

  async #watch<T>(work: () => Promise<T>): Promise<T> {
    const { processID } = this.#client as unknown as { readonly processID: number };
    if (!this.#memory) return work();
    try {
      return await this.#memory.run(processID, work);
    } catch (error) {
      if (error instanceof MemoryExceeded) retire(this.#client);
      throw error;
    }
  }

  #prepareNext(): boolean {
    if (this.#open) this.#applyLimit();
    return this.#open;
  }

  /** Tells the database how much time is left, once in a while; throws when none is. */
  #applyLimit(): void {
    const left = this.#limit.next();
    if (left) void this.#sent.track(send(this.#client, LIMIT_STATEMENTS_SQL, left.map(String)));
  }

  /** The connection may already serve somebody else's transaction. */
  #assertOpen(): void {
    if (!this.#open) throw new Error("A statement was sent after its transaction had ended.");
  }
}

/** Statements that were sent; the end of the transaction waits for their results. */
export class PendingStatements {
  readonly #results: Promise<unknown>[] = [];

  track<R>(result: Promise<R>): Promise<R> {
    // `all` reports the rejection; this keeps it from counting as unhandled.
    result.catch(ignoreRejection);
    this.#results.push(result);
    return result;
  }

  /** Throws the first error: later statements failed because of it. */
  async all(): Promise<void> {
    const results = await Promise.allSettled(this.#results);
    const failed = results.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  get count(): number {
    return this.#results.length;
  }

  /** Drops the results after a savepoint that was rolled back. */
  forgetSince(count: number): void {
    this.#results.length = count;
  }
}

/** For a rejection that is reported elsewhere. */
export function ignoreRejection(): void {}
