import type { Tx } from "../db/connection.ts";
import { extensionPoint } from "../extension-point.ts";

/** A number that a domain contributes to a workspace's statistics. */
export interface UsageCounter {
  readonly name: string;
  readonly count: (tx: Tx) => Promise<number>;
}

export const UsageCounterPoint = extensionPoint<UsageCounter>("kernel.usage_counters");
