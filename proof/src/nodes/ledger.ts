/** One request of a client, and its response. */
export interface Act {
  /** The request id of its events, and its Idempotency-Key. */
  readonly id: string;
  /** The affected resource, such as an order number. Calls on one resource are sequential. */
  readonly about: string;
  /** The expected events, once and in this order. Empty for a rejected request. */
  readonly events: readonly string[];
  /** The number of attempts. */
  readonly attempts: number;
  /** The `data` of the response. */
  readonly data: any;
}

/** Records all responses to the clients. */
export class Ledger {
  readonly acts: Act[] = [];
  /** Requests without a response because of a kill. */
  cutOff = 0;
  /** Requests rejected with 503 and Retry-After. */
  turnedAway = 0;
  /** Requests whose first attempt was still running. */
  inProgress = 0;
  /** Responses replayed from an earlier attempt. */
  replayed = 0;
  /** Responses that clients must never receive. */
  readonly faults: string[] = [];

  of(kind: string): readonly Act[] {
    return this.acts.filter(({ id }) => id.startsWith(`${kind}-`));
  }
}
