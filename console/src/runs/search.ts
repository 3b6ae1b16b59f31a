/** What the address of the list of runs says. */
export const RUN_STATUSES = [
  "queued",
  "running",
  "waiting",
  "paused",
  "failed",
  "completed",
  "cancelled",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export interface RunsSearch {
  readonly status?: RunStatus | undefined;
  readonly workflow?: string | undefined;
  readonly open?: string | undefined;
}
