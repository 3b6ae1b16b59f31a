/** A summary of the last runs of each workflow. */
export interface RecentRun {
  readonly id: string;
  readonly status: string;
  readonly createdAt: string;
  readonly durationMs: number | null;
}

export interface RunSummary {
  /** Oldest first, in drawing order. */
  readonly last: readonly RecentRun[];
  /** The number of failed runs in the last 24 hours. */
  readonly failures: number;
}

interface Active {
  readonly id: string;
  readonly activity?:
    | { readonly recent: readonly RecentRun[]; readonly lastDay: { readonly failed: number } }
    | undefined;
}

export const SPARK_RUNS = 16;

/** Summarises the recent runs of each workflow by id; the server returns the newest run first. */
export function summariseRuns(workflows: readonly Active[]): ReadonlyMap<string, RunSummary> {
  return new Map(
    workflows.flatMap(({ id, activity }) =>
      activity
        ? [
            [
              id,
              {
                last: activity.recent.slice(0, SPARK_RUNS).toReversed(),
                failures: activity.lastDay.failed,
              },
            ] as const,
          ]
        : [],
    ),
  );
}

const BAR_MIN = 0.3;

/** Returns bar heights between 0 and 1. The scale is logarithmic, because one slow run would flatten the others. */
export function barHeights(runs: readonly RecentRun[]): readonly number[] {
  const logs = runs.map(({ durationMs }) => Math.log10(1 + (durationMs ?? 0)));
  const most = Math.max(...logs, 1);
  return logs.map((log) => BAR_MIN + (1 - BAR_MIN) * (log / most));
}
