/**
 * Relative times: `$now-30d`, `$startOf.month`, `$endOf.week-1w`. They stand where a time or a day is compared, and
 * mean one when the condition is used, by the clocks of a zone: a day there may have 23 hours.
 *
 * It begins with `$now`, `$startOf.UNIT` or `$endOf.UNIT`; steps follow, taken from left to right. `$endOf` is the
 * first moment of the next unit, so that `lt` is what goes with it.
 */
import { DateTime, type DateTimeMaybeValid } from "luxon";

/** The moment and the zone that relative times are seen from. */
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

/** True for a text that is meant as a relative time, right or wrong. */
export function isRelativeTime(text: string): boolean {
  return /^\$(now|startOf|endOf)/.test(text);
}

/** The moment that a relative time means, in the zone of the clock; undefined when it is none. */
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
    // A day whose midnight is left out begins later; the one that steps lead to begins where it does.
    if (unit !== undefined && unit !== "hour" && !CLOCK_STEPS.has(name)) at = findStart(at, "day");
  }
  return at.isValid && at.year >= 1 && at.year <= 9999 ? at : undefined;
}

/** The first moment of a unit: where clocks go back to midnight, a day begins at the first of its two midnights. */
function findStart(at: DateTimeMaybeValid, unit: Unit): DateTimeMaybeValid {
  const start = at.startOf(unit);
  if (unit === "hour" || !start.isValid) return start;
  return start.getPossibleOffsets().reduce((first, other) => (other < first ? other : first));
}

/** The first moment of the next unit. An hour in which clocks go back by half an hour is longer than others. */
function findEnd(at: DateTimeMaybeValid, unit: Unit): DateTimeMaybeValid {
  const start = findStart(at, unit);
  const next = findStart(start.plus({ [unit]: 1 }), unit);
  return next > start ? next : findStart(start.plus({ [unit]: 2 }), unit);
}

/** The form of a relative time, for whoever wrote another. */
export const RELATIVE_TIME_FORM = "a relative time as $now-30d, $startOf.month or $endOf.week-1w";
