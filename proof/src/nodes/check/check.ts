import type { SharedDatabase } from "../database.ts";
import type { Mishap } from "../fleet.ts";
import type { Furniture } from "../furnish.ts";
import type { Ledger } from "../ledger.ts";
import type { Receiver } from "../receiver.ts";

/** All that is known when everything is quiet. */
export interface Evidence {
  readonly database: SharedDatabase;
  readonly ledger: Ledger;
  readonly receiver: Receiver;
  readonly furniture: Furniture;
  readonly mishaps: readonly Mishap[];
  /** The errors that nodes have logged. */
  readonly complaints: readonly string[];
  /** When what is scheduled was on time for the last time, and was turned off. */
  readonly retiredAtMs: number;
  /** When something may come twice: a machine that is too busy to renew a lane in time repeats too. */
  readonly repeats: "after a kill" | "at any time";
}

/** What a check saw, in a line, and what was not as it must be. */
export interface Verdict {
  readonly line: string;
  readonly faults: readonly string[];
}

export type Check = (evidence: Evidence) => Promise<Verdict>;

/** Tells where two lists that should be the same differ: what is missing, and what is too much. */
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

/** A busy machine may take so long between an answer and its being written down. */
const WRITTEN_MAX_MS = 5_000;

/** Whether a worker was killed so shortly after the first time that what came of it may not have been written. */
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
