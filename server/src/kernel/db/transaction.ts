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

/** Limits of work that runs SQL written by users. */
export interface WorkLimits {
  readonly timeoutMs: number;
}

/** A transaction for the code that runs in it. */
export interface Transaction {
  readonly tx: Tx;
  /** The current partition of the transaction. */
  readonly partition: Partition;
  /** Continues in another partition, for transactions that write to several. */
  enter(partition: Partition): void;
  /**
   * Sends a statement. The result need not be awaited, because the commit waits for it and fails with the
   * statement. `explain` maps the error of PostgreSQL.
   */
  send<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
    explain?: (error: unknown) => unknown,
  ): Promise<Row[]>;
  /** Sends a statement without using its result. The commit fails if the statement fails. */
  post(text: string, values: readonly unknown[]): void;
  /**
   * Runs work in a savepoint: a failure rolls back this work only, and the transaction continues. With limits,
   * used for SQL written by users, the work has less time and little memory.
   */
  attempt<T>(work: () => Promise<T>, limits?: WorkLimits): Promise<T>;
  /** Called once, and only if the transaction has committed. */
  onCommit(listener: () => void): void;
}

/** The parameters of a session, except its connection. */
export interface SessionOptions {
  readonly partition: Partition;
  readonly listeners: (() => void)[];
  readonly timeoutMs: number;
  /** Watches the server process of the connection, if possible. */
  readonly memory: MemoryWatch | undefined;
}

/** One transaction on a connection. Unusable after its end. */
export class Session implements Transaction {
  readonly tx: Tx;
  readonly #client: pg.PoolClient;
  readonly #sent: PendingStatements;
  readonly #listeners: (() => void)[];
  /** Results that a savepoint awaits, because their errors may need an explanation. */
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

  /** Begins the transaction. No limit can be set before. */
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
    // The pipelined statements belong to the previous partition.
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
    // One step, because statements after a failed one fail too and their errors must not be reported first.
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
      // An outer savepoint has the same name and must be the target of a later rollback.
      void this.send("release savepoint attempt", []);
      return result;
    } catch (error) {
      cancelPipelined(this.#client);
      this.#sent.forgetSince(sentBefore);
      this.#listeners.length = listenersBefore;
      this.#explained.length = explainedBefore;
      // Bypasses `send`, because a failed transaction cannot set a limit.
      void this.#sent.track(send(this.#client, "rollback to savepoint attempt", []));
      // The rollback also reverts settings made since the savepoint.
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

  /** Sends the remaining time to the database if needed. Throws if no time is left. */
  #applyLimit(): void {
    const left = this.#limit.next();
    if (left) void this.#sent.track(send(this.#client, LIMIT_STATEMENTS_SQL, left.map(String)));
  }

  /** The connection may already be used by another transaction. */
  #assertOpen(): void {
    if (!this.#open) throw new Error("A statement was sent after its transaction had ended.");
  }
}

/** Sent statements. The end of the transaction waits for their results. */
export class PendingStatements {
  readonly #results: Promise<unknown>[] = [];

  track<R>(result: Promise<R>): Promise<R> {
    // `all` reports the rejection. Without this handler, Node would report it as unhandled.
    result.catch(ignoreRejection);
    this.#results.push(result);
    return result;
  }

  /** Throws the first error, because it caused the later ones. */
  async all(): Promise<void> {
    const results = await Promise.allSettled(this.#results);
    const failed = results.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  get count(): number {
    return this.#results.length;
  }

  /** Drops the results of a rolled-back savepoint. */
  forgetSince(count: number): void {
    this.#results.length = count;
  }
}

/** For a rejection that is reported elsewhere. */
export function ignoreRejection(): void {}
