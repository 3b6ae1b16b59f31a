import { TransactionTimeout } from "./errors.ts";

/** The maximum duration of a write transaction, because log readers wait for open ones. */
export const TRANSACTION_TIMEOUT_MAX_MS = 60_000;
/** Limits of the database roles, see `roles.ts`. */
export const STATEMENT_TIMEOUT_MS = 55_000;
export const IDLE_TIMEOUT_MS = 30_000;
/** A statement can be cancelled up to this long after the deadline. */
const STEP_MS = 1_000;
/** Reserved after the work, to record its failure in the same transaction. */
const RESERVE_MS = 1_000;

export const LIMIT_STATEMENTS_SQL =
  "select set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)";

/**
 * The time limit of a whole transaction. PostgreSQL supports it since version 17 only, and ends the session.
 * Here each statement gets the remaining time, and none is sent after it. Transactions shorter than a second,
 * the vast majority, send no additional statement.
 */
export class TransactionLimit {
  #endsAt: number;
  /** When the remaining time was last sent to the database. */
  #toldAt: number;

  constructor(timeoutMs: number) {
    const now = performance.now();
    this.#endsAt = now + timeoutMs - STEP_MS;
    // The role's own limit is enough for the first second, unless it is longer.
    this.#toldAt = timeoutMs - STEP_MS < STATEMENT_TIMEOUT_MS ? -Infinity : now;
  }

  /** The values of `LIMIT_STATEMENTS_SQL` if they must be sent before the next statement. Throws if no time is left. */
  next(): readonly [statementMs: number, idleMs: number] | undefined {
    const now = performance.now();
    const leftMs = Math.ceil(this.#endsAt - now);
    if (leftMs <= 0) throw new TransactionTimeout();
    if (now - this.#toldAt < STEP_MS) return undefined;
    this.#toldAt = now;
    return [Math.min(leftMs, STATEMENT_TIMEOUT_MS), Math.min(leftMs, IDLE_TIMEOUT_MS)];
  }

  /** Shortens the limit until the returned function is called. The following work has at least the reserve. */
  shorten(timeoutMs: number): () => void {
    const before = this.#endsAt;
    this.#endsAt = Math.min(before - RESERVE_MS, performance.now() + timeoutMs);
    this.forget();
    return () => {
      this.#endsAt = before;
      this.forget();
    };
  }

  /** The database has lost the setting, for example after a rollback to a savepoint. */
  forget(): void {
    this.#toldAt = -Infinity;
  }
}
