/**
 * The instant before which every transaction has committed: a watermark. A transaction's events bear the
 * time at which it began, and are visible once it commits. On a busy machine that may be a while later,
 * and a ticket resolved in time must not be announced as late in between.
 */

/** Open transactions: all before `xmin` are over, none from `xmax` on has begun to write. */
export interface Snapshot {
  readonly xmin: bigint;
  readonly xmax: bigint;
}

/** From the beginning of a transaction to its first write, from which on a snapshot shows it. */
const FIRST_WRITE_MAX_MS = 400;
/** A transaction that takes longer is not waited for: a breach must be announced within five seconds. */
const TRANSACTION_WAIT_MAX_MS = 2_500;

/** Follows open transactions from one snapshot to the next. */
export class SettledUntil {
  /** An instant, and the first transaction that had not begun to write by then. */
  #fence: { readonly atMs: number; readonly xmax: bigint } | undefined;
  #settledMs = -Infinity;

  /** The instant before which all is committed, given a snapshot that was taken at `nowMs` or later. */
  update(nowMs: number, { xmin, xmax }: Snapshot): number {
    if (this.#fence && xmin >= this.#fence.xmax) this.#pass(this.#fence.atMs);
    if (xmin === xmax) this.#pass(nowMs);
    this.#fence ??= { atMs: nowMs, xmax };
    return Math.max(this.#settledMs - FIRST_WRITE_MAX_MS, nowMs - TRANSACTION_WAIT_MAX_MS);
  }

  #pass(atMs: number): void {
    this.#settledMs = Math.max(this.#settledMs, atMs);
    this.#fence = undefined;
  }
}

/** The earliest time at which an instant can be settled. */
export function earliestSettledMs(instantMs: number): number {
  return instantMs + FIRST_WRITE_MAX_MS;
}
