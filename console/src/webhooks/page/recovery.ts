const HOUR_MS = 3_600_000;

export const SPANS = [
  { label: "1 hour ago", ms: HOUR_MS },
  { label: "1 day ago", ms: 24 * HOUR_MS },
  { label: "1 week ago", ms: 7 * 24 * HOUR_MS },
] as const;

interface Progress {
  readonly since: string;
  readonly requestedAt: string;
  readonly reachedAt: string | null;
  readonly finishedAt: string | null;
}

/** Returns the progress from 0 to 1, based on the time of the last processed event. */
export function progressOf({ since, requestedAt, reachedAt, finishedAt }: Progress): number {
  if (finishedAt !== null) return 1;
  const from = Date.parse(since);
  if (reachedAt === null || Number.isNaN(from)) return 0;
  const span = Date.parse(requestedAt) - from;
  if (span <= 0) return 0;
  return Math.max(0, Math.min(0.99, (Date.parse(reachedAt) - from) / span));
}
