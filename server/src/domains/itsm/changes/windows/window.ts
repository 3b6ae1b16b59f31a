import { parseTime } from "#kernel/condition/parse-time.ts";
import { invalidField } from "#kernel/operation/failure.ts";

/** A time span whose end is no part of it. Times are ISO 8601 in UTC, so texts compare. */
export interface Window {
  readonly start: string;
  readonly end: string;
}

/** True when a moment is in the window. */
export function containsMoment({ start, end }: Window, moment: string): boolean {
  return start <= moment && moment < end;
}

/** The window that a change is planned for, if it has both ends. */
export function plannedWindowOf(planned: PlannedSpan): Window | undefined {
  const { plannedStart: start, plannedEnd: end } = planned;
  return start !== null && end !== null ? { start, end } : undefined;
}

/** A time span of which each end may be open. */
interface PlannedSpan {
  readonly plannedStart: string | null;
  readonly plannedEnd: string | null;
}

/** True when every moment of a span is in another. */
export function isWithin(inner: PlannedSpan, outer: PlannedSpan): boolean {
  const startsWithin =
    outer.plannedStart === null ||
    (inner.plannedStart !== null && inner.plannedStart >= outer.plannedStart);
  const endsWithin =
    outer.plannedEnd === null ||
    (inner.plannedEnd !== null && inner.plannedEnd <= outer.plannedEnd);
  return startsWithin && endsWithin;
}

/** Parses a time of an input to the form in which times are stored. */
export function parseMoment(path: string, time: string): string {
  const moment = parseTime(time);
  if (moment === undefined) throw invalidField(path, "must be a time before the year 10000");
  return moment;
}

/** Throws a 422 unless the end is after the start; each may be unknown. */
export function assertOrder(
  path: string,
  start: string | null | undefined,
  end: string | null | undefined,
): void {
  if (start && end && end <= start) throw invalidField(path, "must be after the start");
}
