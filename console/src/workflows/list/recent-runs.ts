/** What the last runs of each workflow say about it. */
export interface RecentRun {
  readonly id: string;
  readonly workflowId: string;
  readonly status: string;
  readonly createdAt: string;
  readonly durationMs: number | null;
}

export interface RunSummary {
  /** Oldest first, as they are drawn. */
  readonly last: readonly RecentRun[];
  readonly failures: number;
}

export const SPARK_RUNS = 16;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The last runs and the failures of a day, by workflow. The runs are newest first. */
export function summariseRuns(
  runs: readonly RecentRun[],
  nowMs: number,
): ReadonlyMap<string, RunSummary> {
  const summaries = new Map<string, { last: RecentRun[]; failures: number }>();
  for (const run of runs) {
    const summary = summaries.get(run.workflowId) ?? { last: [], failures: 0 };
    summaries.set(run.workflowId, summary);
    if (summary.last.length < SPARK_RUNS) summary.last.unshift(run);
    const isRecent = nowMs - Date.parse(run.createdAt) < DAY_MS;
    if (run.status === "failed" && isRecent) summary.failures += 1;
  }
  return summaries;
}

const BAR_MIN = 0.3;

/** Heights of bars between 0 and 1: by the logarithm of the duration, for one slow run would flatten the rest. */
export function barHeights(runs: readonly RecentRun[]): readonly number[] {
  const logs = runs.map(({ durationMs }) => Math.log10(1 + (durationMs ?? 0)));
  const most = Math.max(...logs, 1);
  return logs.map((log) => BAR_MIN + (1 - BAR_MIN) * (log / most));
}
