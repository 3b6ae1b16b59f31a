/**
 * Reads all-day events of an iCalendar file (RFC 5545) as days. Yearly recurrence is supported, as for fixed
 * holidays. Other holidays are single events in such files.
 */
import { invalidField } from "#kernel/operation/failure.ts";

const DAY_MS = 86_400_000;
const YEARS = 10;
const DAYS_OF_EVENT_MAX = 31;
const DAYS_MAX = 5_000;

export interface Holidays {
  /** For example `2026-12-25`. */
  readonly days: readonly string[];
  /** Event names by day, if present. */
  readonly names: ReadonlyMap<string, string>;
  /** The number of events that are not all-day events. */
  readonly skipped: number;
}

interface VEvent {
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly rule: string | undefined;
  readonly summary: string | undefined;
}

/** Parses the all-day events of a file. Throws 422 for an invalid file. */
export function parseHolidays(ics: string, now: Date): Holidays {
  // Folded lines continue after a line break and a space.
  const lines = ics.replaceAll(/\r?\n[ \t]/g, "").split(/\r?\n/);
  if (lines[0]?.replace("\uFEFF", "").trim().toUpperCase() !== "BEGIN:VCALENDAR") {
    throw invalidField("/ics", "must begin with BEGIN:VCALENDAR");
  }
  const events = listEvents(lines);
  const days = events.map((event) => listDays(event, now));
  const found = new Map<number, string>();
  for (const [index, some] of days.entries()) {
    const name = unescapeText(events[index]?.summary ?? "");
    for (const day of some ?? []) found.set(day, found.get(day) || name);
  }
  if (found.size > DAYS_MAX) throw invalidField("/ics", `must contain at most ${DAYS_MAX} days`);
  const named = [...found]
    .toSorted(([one], [other]) => one - other)
    .map(([day, name]) => [new Date(day * DAY_MS).toISOString().slice(0, 10), name] as const);
  return {
    days: named.map(([day]) => day),
    names: new Map(named.filter(([, name]) => name !== "")),
    skipped: days.filter((some) => some === undefined).length,
  };
}

const NAME_MAX = 200;

/** Unescapes commas and line breaks of a text. */
function unescapeText(value: string): string {
  return value
    .replaceAll(/\\[nN]/g, " ")
    .replaceAll(/\\([,;\\])/g, "$1")
    .slice(0, NAME_MAX);
}

function listEvents(lines: readonly string[]): readonly VEvent[] {
  const events: VEvent[] = [];
  let open: Map<string, string> | undefined;
  for (const line of lines) {
    const colon = line.indexOf(":");
    const [name = "", ...parameters] = line.slice(0, colon).toUpperCase().split(";");
    const value = line.slice(colon + 1).trim();
    if (name === "BEGIN" && value.toUpperCase() === "VEVENT") open = new Map();
    else if (name === "END" && value.toUpperCase() === "VEVENT" && open) {
      events.push({
        start: open.get("DTSTART"),
        end: open.get("DTEND"),
        rule: open.get("RRULE"),
        summary: open.get("SUMMARY"),
      });
      open = undefined;
    } else if (open && !open.has(name)) {
      const isTime = parameters.some((part) => part.startsWith("TZID="));
      open.set(name, isTime ? "" : value);
    }
  }
  return events;
}

/** Days since 1970. Undefined for an event that is not all-day, or with another recurrence than yearly. */
function listDays({ start, end, rule }: VEvent, now: Date): number[] | undefined {
  const first = toDay(start);
  if (first === undefined) return undefined;
  // The end date is exclusive.
  const length = Math.max(1, (toDay(end) ?? first + 1) - first);
  if (length > DAYS_OF_EVENT_MAX) return undefined;
  const starts = rule === undefined ? [first] : yearlyStarts(first, rule, now);
  return starts?.flatMap((day) => Array.from({ length }, (_, index) => day + index));
}

function yearlyStarts(first: number, rule: string, now: Date): number[] | undefined {
  const parts = new Map(
    rule.split(";").map((part) => part.toUpperCase().split("=") as [string, string]),
  );
  const known = new Set(["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYMONTH", "BYMONTHDAY", "WKST"]);
  if (parts.get("FREQ") !== "YEARLY" || [...parts.keys()].some((key) => !known.has(key))) {
    return undefined;
  }
  const date = new Date(first * DAY_MS);
  const interval = Math.max(1, Number(parts.get("INTERVAL") ?? 1) || 1);
  const until = toDay(parts.get("UNTIL")?.slice(0, 8)) ?? Infinity;
  const count = Number(parts.get("COUNT") ?? Infinity) || Infinity;
  const lastYear = Math.max(date.getUTCFullYear(), now.getUTCFullYear()) + YEARS;
  const firstYear = now.getUTCFullYear() - 1;
  const starts: number[] = [];
  // Skips past years, of which there can be thousands.
  const passed = Math.max(0, Math.floor((firstYear - date.getUTCFullYear()) / interval));
  for (let index = passed; index < count; index += 1) {
    const year = date.getUTCFullYear() + index * interval;
    const day = Date.UTC(year, date.getUTCMonth(), date.getUTCDate()) / DAY_MS;
    if (year > lastYear || day > until) break;
    // 29 February exists in leap years only.
    const isReal = new Date(day * DAY_MS).getUTCDate() === date.getUTCDate();
    if (isReal && year >= firstYear) starts.push(day);
  }
  return starts;
}

/** Converts a date such as `20261225` to days since 1970. */
function toDay(value: string | undefined): number | undefined {
  const parts = /^(\d{4})(\d{2})(\d{2})$/.exec(value ?? "");
  if (!parts) return undefined;
  const ms = Date.parse(`${parts[1]}-${parts[2]}-${parts[3]}`);
  return Number.isNaN(ms) ? undefined : ms / DAY_MS;
}
