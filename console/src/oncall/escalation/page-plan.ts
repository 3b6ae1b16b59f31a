/**
 * Computes the recipients and times of an escalation without an acknowledgement: a pure function with the same
 * rules as the server.
 */
import type { Schemas } from "../../data/api.ts";

export type Target = Schemas["PageTarget"];
export type Step = Schemas["PageStep"];

export interface PlannedStep {
  readonly atMs: number;
  readonly round: number;
  readonly step: number;
  /** If empty, the next step follows immediately. */
  readonly userIds: readonly string[];
}

const MINUTE_MS = 60_000;
const SHOWN_MAX = 12;

/** Returns the steps with times and people. `find` returns the people of a target at a time. */
export function planPages(
  { steps, repeats }: { readonly steps: readonly Step[]; readonly repeats: number },
  startMs: number,
  find: (target: Target, atMs: number) => readonly string[],
): { readonly planned: readonly PlannedStep[]; readonly endMs: number | undefined } {
  const planned: PlannedStep[] = [];
  let atMs = startMs;
  for (let round = 0; round <= repeats; round += 1) {
    for (const [step, { targets, waitMinutes }] of steps.entries()) {
      if (planned.length === SHOWN_MAX) return { planned, endMs: undefined };
      const found = targets.flatMap((target) => find(target, atMs));
      const userIds = [...new Set(found)];
      planned.push({ atMs, round, step, userIds });
      if (userIds.length > 0) atMs += waitMinutes * MINUTE_MS;
    }
  }
  return { planned, endMs: atMs };
}

/** Returns the maximum duration of the displayed steps. */
export function longestMs({ steps, repeats }: Parameters<typeof planPages>[0]): number {
  const minutes = steps.reduce((sum, { waitMinutes }) => sum + waitMinutes, 0);
  return minutes * (repeats + 1) * MINUTE_MS;
}
