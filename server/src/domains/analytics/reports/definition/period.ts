/** The period of a report: relative or absolute, and the comparison period. */
import { DateTime } from "luxon";
import Type, { type Static } from "typebox";
import { workspaceOf } from "#domains/workspaces/index.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { parseTime } from "#kernel/condition/parse-time.ts";
import {
  isRelativeTime,
  RELATIVE_TIME_FORM,
  type RelativeClock,
  resolveRelativeTime,
} from "#kernel/condition/relative-time.ts";
import type { ReportRequest } from "#kernel/contributions/report-source.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { line, object, Time } from "#kernel/schema/schema.ts";
import { FieldPath } from "./field-path.ts";

const Moment = line(
  60,
  "Date, time or relative time. Examples: `$now-30d`, `$startOf.month`, `$endOf.week-1w`",
);

/** Only rows in this period count; `to` is exclusive, and defaults to now. */
export const Period = object(
  {
    field: Type.Optional({
      ...FieldPath,
      description:
        "The time field to use. Default: the field of the time bucket, or the creation time",
    }),
    from: Moment,
    to: Type.Optional(Moment),
  },
  { title: "ReportPeriod" },
);
export type Period = Static<typeof Period>;

export const Compare = Type.Enum(["period", "day", "week", "month", "year"], {
  description:
    "Compares each value with the preceding period of the same length, or with a period that is earlier by this amount",
});

/** A period resolved at a point in time. */
export const ResolvedPeriod = Type.Object({
  from: Time,
  to: Time,
  timezone: Type.String(),
});
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** The time and the zone of a report: its own zone, or that of the workspace. */
export async function reportClock(
  { platform, caller }: ReportRequest,
  timezone: string | undefined,
): Promise<RelativeClock> {
  const now = new Date(platform.clock.nowMs());
  if (timezone !== undefined) {
    if (!DateTime.local({ zone: timezone }).isValid)
      throw invalidField("/timezone", "is not a known time zone");
    return { now, timezone };
  }
  const partition = partitionOfCaller(caller);
  const workspace = await platform.db.read(partition, (tx) => workspaceOf(tx, partition.workspace));
  return { now, timezone: workspace.timezone };
}

/** The start and end of a period, relative to a point in time. */
export function resolvePeriod({ from, to }: Period, clock: RelativeClock, at = "/period"): Span {
  const span = {
    from: resolveMoment(from, clock, `${at}/from`),
    to: to === undefined ? clock.now : resolveMoment(to, clock, `${at}/to`),
  };
  if (span.from.getTime() >= span.to.getTime()) {
    throw invalidField(`${at}/from`, "must be before the end of the period");
  }
  return span;
}

function resolveMoment(text: string, clock: RelativeClock, at: string): Date {
  if (isRelativeTime(text)) {
    const moment = resolveRelativeTime(text, clock);
    if (!moment) throw invalidField(at, `must be ${RELATIVE_TIME_FORM}`);
    return moment.toJSDate();
  }
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = parseTime(text);
  if (time === undefined) throw invalidField(at, "must be a relative time, a date or a time");
  return isDay ? DateTime.fromISO(text, { zone: clock.timezone }).toJSDate() : new Date(time);
}

/** The previous span: one calendar length earlier in that zone, otherwise the same duration earlier. */
export function spanBefore(
  { from, to }: Span,
  compare: Static<typeof Compare>,
  timezone: string,
): Span {
  const [first, last] = [from, to].map((date) => DateTime.fromJSDate(date, { zone: timezone }));
  if (!first || !last) return { from, to };
  if (compare !== "period") {
    const step = { [compare]: 1 };
    return { from: first.minus(step).toJSDate(), to: last.minus(step).toJSDate() };
  }
  // A whole number of days, months or years is kept, whatever their lengths.
  const whole = (["years", "months", "days"] as const)
    .map((unit) => ({ unit, count: last.diff(first, unit).as(unit) }))
    .find(({ count }) => Number.isInteger(count) && count > 0);
  const length = whole ? { [whole.unit]: whole.count } : last.diff(first);
  return { from: first.minus(length).toJSDate(), to: from };
}
