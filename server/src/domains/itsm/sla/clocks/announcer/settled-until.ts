/**
 * A watermark: the instant before which every transaction has committed. Events of a transaction have its start time,
 * but are visible only after its commit. On a busy machine that can be later, and a ticket resolved in time must not
 * be announced as breached in between.
 */

/** Open transactions: all before `xmin` have ended, none from `xmax` on has written yet. */
export interface Snapshot {
  readonly xmin: bigint;
  readonly xmax: bigint;
}

/** The maximum time from the start of a transaction to its first write. Snapshots include it afterwards. */
const FIRST_WRITE_MAX_MS = 400;
/** Slower transactions are ignored, because a breach must be announced within five seconds. */
const TRANSACTION_WAIT_MAX_MS = 2_500;

/** Tracks open transactions across snapshots. */
export class SettledUntil {
  /** An instant, and the first transaction that had not written by then. */
  #fence: { readonly atMs: number; readonly xmax: bigint } | undefined;
  #settledMs = -Infinity;

  /** The instant before which everything is committed, given a snapshot taken at `nowMs` or later. */
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
