import { parseTime } from "#kernel/condition/parse-time.ts";
import { invalidField } from "#kernel/operation/failure.ts";

/** From a moment up to another, which is no part of it. Times are ISO 8601 in UTC, so texts compare. */
export interface Window {
  readonly start: string;
  readonly end: string;
}

/** Whether a moment is in it. */
export function contains({ start, end }: Window, moment: string): boolean {
  return start <= moment && moment < end;
}

/** The window of what has a beginning and an end. */
export function windowOf(planned: {
  readonly plannedStart: string | null;
  readonly plannedEnd: string | null;
}): Window | undefined {
  const { plannedStart: start, plannedEnd: end } = planned;
  return start !== null && end !== null ? { start, end } : undefined;
}

/** A time that a caller gave, as all times are kept. */
export function momentAt(path: string, given: string): string {
  const moment = parseTime(given);
  if (moment === undefined) throw invalidField(path, "must be a time before the year 10000");
  return moment;
}

/** Throws a 422 unless the end is after the start; each may be unknown. */
export function assertOrdered(
  path: string,
  start: string | null | undefined,
  end: string | null | undefined,
): void {
  if (start && end && end <= start) throw invalidField(path, "must be after the start");
}
