import { setTimeout as delay } from "node:timers/promises";
import type { PlanNode } from "#domains/workflows/index.ts";

/**
 * The rate limit of nodes that are done for each item: their steps begin one after the other, so many in a second. It
 * is kept in memory, since one process at a time has the run.
 */
export class Pacer {
  /** By the path of the loop: when its next step may begin. */
  readonly #nextMs = new Map<string, number>();

  /** Resolves when the step may begin, or the run is to end. */
  async untilTurn(
    { path, node }: { readonly path: string; readonly node: PlanNode },
    signal: AbortSignal,
  ): Promise<void> {
    if (node.ratePerSecond === undefined) return;
    const loop = path.slice(0, path.lastIndexOf("["));
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, this.#nextMs.get(loop) ?? 0);
    this.#nextMs.set(loop, atMs + 1_000 / node.ratePerSecond);
    if (atMs > nowMs) await delay(atMs - nowMs, undefined, { signal }).catch(() => undefined);
  }
}
