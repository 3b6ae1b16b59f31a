import { TransactionTimeout } from "./errors.ts";

/** No transaction that writes lasts longer: every reader of the log waits for the oldest one. */
export const TRANSACTION_TIMEOUT_MAX_MS = 60_000;
/** The limits of the database's roles, see `roles.ts`. */
export const STATEMENT_TIMEOUT_MS = 55_000;
export const IDLE_TIMEOUT_MS = 30_000;
/** So much later than at the end of its time a statement may still begin to be cancelled. */
const STEP_MS = 1_000;
/** Left after work with less time than its transaction, to record that it failed. */
const RESERVE_MS = 1_000;

export const LIMIT_STATEMENTS_SQL =
  "select set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)";

/**
 * The time that a transaction has as a whole. PostgreSQL has such a limit since version 17 only, and it ends the
 * session: here each statement gets what is left of the time, and none is sent after it. A transaction that
 * takes less than a second, as nearly all do, costs no statement more.
 */
export class TransactionLimit {
  #endsAt: number;
  /** When the database was told last how much is left. */
  #toldAt: number;

  constructor(timeoutMs: number) {
    const now = performance.now();
    this.#endsAt = now + timeoutMs - STEP_MS;
    // The role's own limit does for the first second, unless it is longer.
    this.#toldAt = timeoutMs - STEP_MS < STATEMENT_TIMEOUT_MS ? -Infinity : now;
  }

  /**
   * The values of `LIMIT_STATEMENTS_SQL`, when the database must be told before the next statement. Throws when
   * no time is left for one.
   */
  next(): readonly [statementMs: number, idleMs: number] | undefined {
    const now = performance.now();
    const leftMs = Math.ceil(this.#endsAt - now);
    if (leftMs <= 0) throw new TransactionTimeout();
    if (now - this.#toldAt < STEP_MS) return undefined;
    this.#toldAt = now;
    return [Math.min(leftMs, STATEMENT_TIMEOUT_MS), Math.min(leftMs, IDLE_TIMEOUT_MS)];
  }

  /** Shortens the time until the returned function is called. What follows then has at least the reserve. */
  shorten(timeoutMs: number): () => void {
    const before = this.#endsAt;
    this.#endsAt = Math.min(before - RESERVE_MS, performance.now() + timeoutMs);
    this.forget();
    return () => {
      this.#endsAt = before;
      this.forget();
    };
  }

  /** The database has forgotten what it was told, as after a rollback to a savepoint. */
  forget(): void {
    this.#toldAt = -Infinity;
  }
}
