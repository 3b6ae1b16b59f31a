import type { SharedDatabase } from "../database.ts";
import type { Mishap } from "../fleet.ts";
import type { Furniture } from "../furnish.ts";
import type { Ledger } from "../ledger.ts";
import type { Receiver } from "../receiver.ts";

/** All data for the checks, collected after all work has ended. */
export interface Evidence {
  readonly database: SharedDatabase;
  readonly ledger: Ledger;
  readonly receiver: Receiver;
  readonly furniture: Furniture;
  readonly mishaps: readonly Mishap[];
  /** Errors logged by the nodes. */
  readonly complaints: readonly string[];
  /** The last time at which scheduled work was on time, and was switched off. */
  readonly retiredAtMs: number;
  /** When repetitions are allowed: on an overloaded machine, a node can also miss the renewal of a lease. */
  readonly repeats: "after a kill" | "at any time";
}

/** The result of a check in one line, and its faults. */
export interface Verdict {
  readonly line: string;
  readonly faults: readonly string[];
}

export type Check = (evidence: Evidence) => Promise<Verdict>;

/** The differences between two lists that should be equal: missing and additional items. */
export function differences(
  what: string,
  expected: readonly string[],
  found: readonly string[],
): string[] {
  const counts = new Map<string, number>();
  for (const one of expected) counts.set(one, (counts.get(one) ?? 0) + 1);
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) - 1);
  return [...counts]
    .filter(([, count]) => count !== 0)
    .map(([one, count]) => `${what}: ${one} is there ${count > 0 ? "too seldom" : "too often"}`);
}

/** The maximum time between a response and its storage on a busy machine. */
const WRITTEN_MAX_MS = 5_000;

/** True if a worker was killed so soon after the first attempt that its result may not have been stored. */
export function isExcused(
  { mishaps, repeats }: Evidence,
  firstAtMs: number,
  againAtMs: number,
): boolean {
  if (repeats === "at any time") return true;
  return mishaps.some(
    ({ role, how, atMs }) =>
      role === "worker" &&
      how === "killed" &&
      atMs >= firstAtMs - WRITTEN_MAX_MS &&
      atMs <= Math.min(againAtMs, firstAtMs + WRITTEN_MAX_MS),
  );
}
