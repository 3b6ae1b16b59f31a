import { invalidField } from "#kernel/operation/failure.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DAYS_MAX = 740;
/** Longer periods use weekly buckets, and very long ones monthly buckets. */
const DAYS_BY_DAY = 45;
const DAYS_BY_WEEK = 200;

export type Unit = "day" | "week" | "month";

export interface Period {
  readonly from: Date;
  readonly to: Date;
  /** The start of the previous period of equal length. */
  readonly beforeFrom: Date;
  readonly unit: Unit;
}

/** The period of a report, by default the last 30 days. */
export function readPeriod(
  { from, to }: { readonly from?: string; readonly to?: string },
  now: Date,
): Period {
  const end = to === undefined ? now : new Date(to);
  const start =
    from === undefined ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : new Date(from);
  const lengthMs = end.getTime() - start.getTime();
  if (lengthMs <= 0) throw invalidField("/to", "must be after from");
  if (lengthMs > DAYS_MAX * DAY_MS)
    throw invalidField("/from", `must be at most ${DAYS_MAX} days before to`);
  const days = lengthMs / DAY_MS;
  return {
    from: start,
    to: end,
    beforeFrom: new Date(start.getTime() - lengthMs),
    unit: days <= DAYS_BY_DAY ? "day" : days <= DAYS_BY_WEEK ? "week" : "month",
  };
}

/** Validates a time zone. Throws 422 if it does not exist. */
export function checkTimezone(timezone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    throw invalidField("/timezone", "is not a time zone");
  }
}
