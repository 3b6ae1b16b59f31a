/** One thing that a client wanted, and what it was told. */
export interface Act {
  /** Its request id, which its events bear, and its Idempotency-Key. */
  readonly id: string;
  /** What it is about, such as the number of an order: acts on one thing come one after the other. */
  readonly about: string;
  /** The events that it must have appended, once and in this order; none where it was refused. */
  readonly events: readonly string[];
  /** How often it was sent. */
  readonly attempts: number;
  /** The answer's `data`. */
  readonly data: any;
}

/** The clients' book: whatever was answered. */
export class Ledger {
  readonly acts: Act[] = [];
  /** Requests that a kill left without an answer. */
  cutOff = 0;
  /** Requests that were turned away with 503 and Retry-After. */
  turnedAway = 0;
  /** Requests that were told that their first attempt is still under way. */
  inProgress = 0;
  /** Answers that were those of an earlier attempt. */
  replayed = 0;
  /** What no client may ever see. */
  readonly faults: string[] = [];

  of(kind: string): readonly Act[] {
    return this.acts.filter(({ id }) => id.startsWith(`${kind}-`));
  }
}
