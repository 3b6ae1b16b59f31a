/**
 * Weeks of days: a change takes hours and a plan covers weeks, so on a single time axis an hour would be three
 * pixels.
 */

export const DAYS_SHOWN = 21;
const DAYS_A_WEEK = 7;
const NOON_HOURS = 12;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A shorter part of a day belongs to the previous night. */
const NIGHT_MS = 6 * HOUR_MS;

export interface Day {
  /** As `2026-11-16`, in the user's time zone. */
  readonly key: string;
  readonly start: Date;
  readonly end: Date;
}

interface Planned {
  readonly plannedStart: string;
  readonly plannedEnd: string;
}

interface Closure {
  readonly name: string;
  readonly start: string;
  readonly end: string;
}

export function toDayKey(date: Date): string {
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Returns the Monday of a day's week, at midnight in the user's time zone. */
export function findMonday(date: Date): Date {
  const back = (date.getDay() + DAYS_A_WEEK - 1) % DAYS_A_WEEK;
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - back);
}

/** Adds calendar days: twice a year, a day has 23 or 25 hours. */
export function addDays(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}

/** Parses the day of an address; default: today. */
export function parseDay(key: string | undefined, now: Date): Date {
  return key === undefined ? now : new Date(`${key}T${NOON_HOURS}:00`);
}

export function listDays(from: Date, days = DAYS_SHOWN): Day[] {
  return Array.from({ length: days }, (_, n) => {
    const start = addDays(from, n);
    return { key: toDayKey(start), start, end: addDays(from, n + 1) };
  });
}

/** Returns how a change is shown on a day: as start, as continuation, or not. */
export function placeOn(
  day: Day,
  { plannedStart, plannedEnd }: Planned,
): "begins" | "goes on" | undefined {
  const [from, to] = [Date.parse(plannedStart), Date.parse(plannedEnd)];
  const [start, end] = [day.start.getTime(), day.end.getTime()];
  if (from >= start && from < end) return "begins";
  const hereMs = Math.min(to, end) - Math.max(from, start);
  return from < start && hereMs > NIGHT_MS ? "goes on" : undefined;
}

/** Describes the freezes of a day: `Freeze`, `Freeze from 18:00`, `Freeze until 06:00`. */
export function describeClosures<C extends Closure>(
  day: Day,
  closures: readonly C[],
): { readonly closure: C; readonly words: string }[] {
  return closures
    .filter(
      ({ start, end }) =>
        Date.parse(start) < day.end.getTime() && Date.parse(end) > day.start.getTime(),
    )
    .map((closure) => {
      const begins = Date.parse(closure.start) > day.start.getTime();
      const ends = Date.parse(closure.end) < day.end.getTime();
      const from = begins ? ` from ${toHour(closure.start)}` : "";
      const until = ends ? ` until ${toHour(closure.end)}` : "";
      return { closure, words: `${closure.name}${from}${until}` };
    });
}

const hours = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dates = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
});

export const toHour = (at: string): string => hours.format(new Date(at));
export const toDate = (at: string | Date): string => dates.format(new Date(at));

/** Formats a time window: `Thu 26 Nov, 19:00–23:00`, with the second day if it differs. */
export function toSpan(start: string | null, end: string | null): string {
  if (start === null)
    return end === null ? "Not scheduled" : `until ${toDate(end)}, ${toHour(end)}`;
  if (end === null) return `${toDate(start)}, from ${toHour(start)}`;
  const days =
    (Date.parse(toDayKey(new Date(end))) - Date.parse(toDayKey(new Date(start)))) / DAY_MS;
  const isNight = days === 0 || (days === 1 && new Date(end).getHours() < NOON_HOURS);
  return isNight
    ? `${toDate(start)}, ${toHour(start)}–${toHour(end)}`
    : `${toDate(start)}, ${toHour(start)} – ${toDate(end)}, ${toHour(end)}`;
}
