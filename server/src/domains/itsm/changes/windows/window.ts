import { parseTime } from "#kernel/condition/parse-time.ts";
import { invalidField } from "#kernel/operation/failure.ts";

/** A half-open time range. Times are ISO 8601 in UTC, so they compare as strings. */
export interface Window {
  readonly start: string;
  readonly end: string;
}

/** True when a moment is in the window. */
export function containsMoment({ start, end }: Window, moment: string): boolean {
  return start <= moment && moment < end;
}

/** The planned window of a change, if it has both ends. */
export function plannedWindowOf(planned: PlannedSpan): Window | undefined {
  const { plannedStart: start, plannedEnd: end } = planned;
  return start !== null && end !== null ? { start, end } : undefined;
}

/** A time range with optional ends. */
interface PlannedSpan {
  readonly plannedStart: string | null;
  readonly plannedEnd: string | null;
}

/** True if a time range is contained in another. */
export function isWithin(inner: PlannedSpan, outer: PlannedSpan): boolean {
  const startsWithin =
    outer.plannedStart === null ||
    (inner.plannedStart !== null && inner.plannedStart >= outer.plannedStart);
  const endsWithin =
    outer.plannedEnd === null ||
    (inner.plannedEnd !== null && inner.plannedEnd <= outer.plannedEnd);
  return startsWithin && endsWithin;
}

/** Normalises an input time to the stored form. */
export function parseMoment(path: string, time: string): string {
  const moment = parseTime(time);
  if (moment === undefined) throw invalidField(path, "must be a time before the year 10000");
  return moment;
}

/** Throws 422 unless the end is after the start. Both are optional. */
export function assertOrder(
  path: string,
  start: string | null | undefined,
  end: string | null | undefined,
): void {
  if (start && end && end <= start) throw invalidField(path, "must be after the start");
}
