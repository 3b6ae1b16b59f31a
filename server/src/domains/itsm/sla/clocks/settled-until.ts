/**
 * Up to which instant nothing can turn out to have happened in time any more. An act says when it began,
 * and can be seen when it has committed; on a busy machine that may be a while later, and a ticket must
 * not be told late in between that was resolved in time.
 */

/** The transactions under way: all before `xmin` are over, none from `xmax` on has begun to write. */
export interface Snapshot {
  readonly xmin: bigint;
  readonly xmax: bigint;
}

/** From the beginning of an act to its first write, from which on a snapshot shows it. */
const BEGIN_MS = 400;
/** A transaction that takes longer is not waited for: what is late must be told within five seconds. */
const PATIENCE_MS = 2_500;

/** Follows what is under way, from one snapshot to the next. */
export class SettledUntil {
  /** An instant, and the first transaction that had not begun to write by then. */
  #fence: { readonly atMs: number; readonly xmax: bigint } | undefined;
  #sureMs = -Infinity;

  /** The instant of which all is known, given a snapshot that was taken at `nowMs` or later. */
  at(nowMs: number, { xmin, xmax }: Snapshot): number {
    if (this.#fence && xmin >= this.#fence.xmax) this.#pass(this.#fence.atMs);
    if (xmin === xmax) this.#pass(nowMs);
    this.#fence ??= { atMs: nowMs, xmax };
    return Math.max(this.#sureMs - BEGIN_MS, nowMs - PATIENCE_MS);
  }

  #pass(atMs: number): void {
    this.#sureMs = Math.max(this.#sureMs, atMs);
    this.#fence = undefined;
  }
}

/** The soonest that an instant can be known to be over. */
export function soonest(instantMs: number): number {
  return instantMs + BEGIN_MS;
}
