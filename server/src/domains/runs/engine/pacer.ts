import { setTimeout as delay } from "node:timers/promises";
import type { PlanNode } from "#domains/workflows/index.ts";

/**
 * Rate limit of loop nodes: starts their steps in sequence, with a maximum per second. Kept in memory, because only
 * one process executes a run at a time.
 */
export class Pacer {
  /** The earliest start of the next step, by the path of the loop. */
  readonly #nextMs = new Map<string, number>();

  /** Resolves when the step may start, or when the run is stopped. */
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
