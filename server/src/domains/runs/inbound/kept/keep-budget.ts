import type { Platform } from "#kernel/contract.ts";

const WINDOW_MS = 60_000;
const KEYS_MAX = 10_000;
/**
 * Limit per trigger and process, so that flooding a webhook does not fill the disk before retention deletes the
 * oldest requests.
 */
export const BYTES_PER_MINUTE = 32 * 1_048_576;

/** Counts the bytes stored per trigger and minute. */
class KeepBudget {
  #bytes = new Map<string, number>();
  #endsAtMs = 0;

  /** True if the budget has room for these bytes. */
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

/** The budget of this process. */
export function keepBudgetOf({ shutdown }: Pick<Platform, "shutdown">): KeepBudget {
  let budget = budgets.get(shutdown);
  if (!budget) budgets.set(shutdown, (budget = new KeepBudget()));
  return budget;
}
