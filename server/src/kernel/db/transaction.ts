import type pg from "pg";
import {
  queryBuilderOn,
  sendPipelined,
  query,
  send,
  type Tx,
  cancelPipelined,
} from "./connection.ts";
import { setPartitionSql, type Partition } from "./partition.ts";

/** What work in one transaction has of it. */
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

/** One transaction as those see it who work in it; of no use to them once it is over. */
export class Session implements Transaction {
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
    this.tx = queryBuilderOn(client, () => this.#open);
  }

  get partition(): Partition {
    return this.#partition;
  }

  post(text: string, values: readonly unknown[]): void {
    this.#assertOpen();
    if (!sendPipelined(this.#client, text, values)) void this.send(text, values);
  }

  enter(partition: Partition): void {
    this.#assertOpen();
    // They are of the partition that it leaves.
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
      cancelPipelined(this.#client);
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
export class Outstanding {
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

/** For a rejection that somebody else hears. */
export function ignoreHere(): void {}
