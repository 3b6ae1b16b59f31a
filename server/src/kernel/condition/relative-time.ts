/**
 * Relative times: `$now-30d`, `$startOf.month`, `$endOf.week-1w`. They replace a time or a day in a comparison
 * and are resolved when the condition is evaluated, in a time zone: a day can have 23 hours.
 *
 * The text starts with `$now`, `$startOf.UNIT` or `$endOf.UNIT`, followed by steps that are applied from left
 * to right. `$endOf` is the start of the next unit, so compare it with `lt`.
 */
import { DateTime, type DateTimeMaybeValid } from "luxon";

/** The current time and the time zone for relative times. */
export interface RelativeClock {
  readonly now: Date;
  readonly timezone: string;
}

const UNITS = ["hour", "day", "week", "month", "quarter", "year"] as const;
type Unit = (typeof UNITS)[number];
const STEPS = {
  m: "minutes",
  h: "hours",
  d: "days",
  w: "weeks",
  M: "months",
  Q: "quarters",
  y: "years",
} as const;

const CLOCK_STEPS: ReadonlySet<string> = new Set(["minutes", "hours"]);

const FORM = new RegExp(
  `^\\$(?:now|(?<edge>startOf|endOf)\\.(?<unit>${UNITS.join("|")}))(?<steps>(?:[+-]\\d{1,5}[mhdwMQy]){0,4})$`,
);

/** True if a text is meant as a relative time, valid or not. */
export function isRelativeTime(text: string): boolean {
  return /^\$(now|startOf|endOf)/.test(text);
}

/** The time of a relative time in the given zone, or undefined if the text is invalid. */
export function resolveRelativeTime(
  text: string,
  { now, timezone }: RelativeClock,
): DateTime<true> | undefined {
  const { groups } = FORM.exec(text) ?? {};
  if (!groups) return undefined;
  let at: DateTimeMaybeValid = DateTime.fromJSDate(now, { zone: timezone });
  const unit = groups["unit"] as Unit | undefined;
  if (unit !== undefined) at = groups["edge"] === "endOf" ? findEnd(at, unit) : findStart(at, unit);
  for (const [step] of groups["steps"]?.matchAll(/[+-]\d+[a-zA-Z]/g) ?? []) {
    const name = STEPS[step.at(-1) as keyof typeof STEPS];
    at = at.plus({ [name]: Number(step.slice(0, -1)) });
    // If a time zone skips midnight, the day starts later. Steps can lead to such a day.
    if (unit !== undefined && unit !== "hour" && !CLOCK_STEPS.has(name)) at = findStart(at, "day");
  }
  return at.isValid && at.year >= 1 && at.year <= 9999 ? at : undefined;
}

/** The start of a unit. If clocks go back to midnight, the day starts at the first of its two midnights. */
function findStart(at: DateTimeMaybeValid, unit: Unit): DateTimeMaybeValid {
  const start = at.startOf(unit);
  if (unit === "hour" || !start.isValid) return start;
  return start.getPossibleOffsets().reduce((first, other) => (other < first ? other : first));
}

/** Returns the start of the next unit. An hour is longer if the clock goes back by half an hour in it. */
function findEnd(at: DateTimeMaybeValid, unit: Unit): DateTimeMaybeValid {
  const start = findStart(at, unit);
  const next = findStart(start.plus({ [unit]: 1 }), unit);
  return next > start ? next : findStart(start.plus({ [unit]: 2 }), unit);
}

/** The valid form, for error messages. */
export const RELATIVE_TIME_FORM =
  "a relative time, such as $now-30d, $startOf.month or $endOf.week-1w";
