import type { Platform } from "#kernel/contract.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;
/** Of one trigger in one process: whoever floods a hook fills no disk before the oldest requests are deleted. */
export const BYTES_PER_MINUTE = 32 * 1_048_576;

/** Counts what triggers keep in a minute. */
class KeepBudget {
  #bytes = new Map<string, number>();
  #endsAtMs = 0;

  /** True while there is room for so much more. */
  take(trigger: string, bytes: number, nowMs: number): boolean {
    const isOver = nowMs >= this.#endsAtMs || this.#endsAtMs - nowMs > WINDOW_MS;
    if (isOver || this.#bytes.size >= KEYS_MAX) {
      this.#bytes = new Map();
      this.#endsAtMs = nowMs + WINDOW_MS;
    }
    const sum = (this.#bytes.get(trigger) ?? 0) + bytes;
    if (sum > BYTES_PER_MINUTE) return false;
    this.#bytes.set(trigger, sum);
    return true;
  }
}

const budgets = new WeakMap<object, KeepBudget>();

/** The one of this process. */
export function keepBudgetOf({ shutdown }: Pick<Platform, "shutdown">): KeepBudget {
  let budget = budgets.get(shutdown);
  if (!budget) budgets.set(shutdown, (budget = new KeepBudget()));
  return budget;
}
