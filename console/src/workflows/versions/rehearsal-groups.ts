/** Groups the runs of a rehearsal: the worst first, and runs with the same difference together. */
import type { Schemas } from "../../data/api.ts";

type Rehearsed = Schemas["RehearsedRun"];

export interface RunGroup {
  readonly verdict: Rehearsed["verdict"];
  readonly stepId: string | null;
  readonly name: string;
  readonly count: number;
  /** The newest run of the group. */
  readonly example: Rehearsed;
}

const WORST_FIRST: readonly Rehearsed["verdict"][] = [
  "would_fail",
  "needs_outcome",
  "other_branch",
  "other_output",
];

/** Groups runs by outcome and by the first step that differs. */
export function groupRuns(runs: readonly Rehearsed[]): RunGroup[] {
  const groups = new Map<string, RunGroup>();
  for (const run of runs) {
    const { verdict, difference } = run;
    if (verdict === "same") continue;
    const stepId = difference?.stepId ?? null;
    const key = `${verdict} ${stepId ?? ""}`;
    const group = groups.get(key);
    const name = difference?.name ?? stepId ?? "Output of the run";
    if (group) groups.set(key, { ...group, count: group.count + 1 });
    else groups.set(key, { verdict, stepId, name, count: 1, example: run });
  }
  const rank = ({ verdict }: RunGroup): number => WORST_FIRST.indexOf(verdict);
  return [...groups.values()].toSorted((a, b) => rank(a) - rank(b) || b.count - a.count);
}

const TEXT_MAX = 80;

/** Formats a value in one line; the run page shows all of it. */
export function toValueText(value: unknown): string {
  const text = failureOf(value) ?? (typeof value === "string" ? value : JSON.stringify(value));
  const shown = text === undefined || text === "null" ? "empty" : text;
  return shown.length > TEXT_MAX ? `${shown.slice(0, TEXT_MAX)}…` : shown;
}

/** Returns the error message if a step would fail. */
function failureOf(value: unknown): string | undefined {
  const { error } = (value ?? {}) as { readonly error?: { readonly message?: unknown } };
  return typeof error?.message === "string" ? error.message : undefined;
}
