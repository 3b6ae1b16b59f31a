/**
 * Business time. An instant is business time when the clocks of the calendar's place then show an hour
 * of work on a day that is no holiday. So an hour that the clocks skip is not there, and one that they
 * show twice counts twice.
 *
 * Days are cut in UTC, where all are equally long and in order, and each is worked out once: its
 * stretches of one offset, and in them the hours of work.
 */
import { IANAZone } from "luxon";

export interface Calendar {
  /** IANA. */
  readonly timezone: string;
  readonly hours: readonly Hours[];
  /** Local days, such as `2026-12-25`. */
  readonly holidays?: readonly string[];
}

export interface Hours {
  /** 1 is Monday. */
  readonly days: readonly number[];
  readonly from: string;
  /** Up to `24:00`. */
  readonly to: string;
}

export interface BusinessTime {
  /** How much of it there is between two instants. */
  readonly elapsed: (fromMs: number, toMs: number) => number;
  /** The first instant at which so much is used up; undefined when that is more than ten years away. */
  readonly after: (fromMs: number, amountMs: number) => number | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const HORIZON_DAYS = 3_660;
const DAYS_KEPT_MAX = 8_000;
/** They change at full seconds. */
const CHANGE_MS = 1_000;
const WEEKDAYS = 7;
/** The first day that computers count is a Thursday. */
const FIRST_WEEKDAY = 4;

/** All time is business time. */
const AROUND_THE_CLOCK: BusinessTime = {
  elapsed: (fromMs, toMs) => Math.max(0, toMs - fromMs),
  after: (fromMs, amountMs) =>
    amountMs > HORIZON_DAYS * DAY_MS ? undefined : fromMs + Math.max(0, amountMs),
};

/** The business time of a calendar; without one, around the clock. */
export function businessTime(calendar: Calendar | null): BusinessTime {
  return calendar ? new WorkingTime(calendar) : AROUND_THE_CLOCK;
}

/** Minutes since midnight of a time such as `09:30`. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

type Interval = readonly [fromMs: number, toMs: number];

interface Day {
  /** In order, and apart from each other. */
  readonly intervals: readonly Interval[];
  readonly totalMs: number;
}

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMs: number;
}

class WorkingTime implements BusinessTime {
  readonly #zone: IANAZone;
  /** By weekday, from Monday: milliseconds since midnight. */
  readonly #week: readonly (readonly Interval[])[];
  /** Local days since 1970. */
  readonly #holidays: ReadonlySet<number>;
  readonly #days = new Map<number, Day>();
  /** The boundary between two days that was asked for last. */
  #last: { readonly ms: number; readonly offsetMs: number } | undefined;

  constructor({ timezone, hours, holidays = [] }: Calendar) {
    this.#zone = IANAZone.create(timezone);
    this.#week = Array.from({ length: WEEKDAYS }, (_, index) => spansOn(index + 1, hours));
    this.#holidays = new Set(holidays.map((day) => Date.parse(day) / DAY_MS));
  }

  elapsed(fromMs: number, toMs: number): number {
    let totalMs = 0;
    for (let day = Math.floor(fromMs / DAY_MS); day * DAY_MS < toMs; day += 1) {
      const { intervals, totalMs: wholeMs } = this.#day(day);
      if (fromMs <= day * DAY_MS && toMs >= (day + 1) * DAY_MS) totalMs += wholeMs;
      else for (const interval of intervals) totalMs += overlapMs(interval, fromMs, toMs);
    }
    return totalMs;
  }

  after(fromMs: number, amountMs: number): number | undefined {
    if (amountMs <= 0) return fromMs;
    let leftMs = amountMs;
    const first = Math.floor(fromMs / DAY_MS);
    for (let day = first; day < first + HORIZON_DAYS; day += 1) {
      const { intervals, totalMs } = this.#day(day);
      if (day > first && totalMs < leftMs) {
        leftMs -= totalMs;
        continue;
      }
      for (const [startMs, endMs] of intervals) {
        const beginMs = Math.max(startMs, fromMs);
        if (endMs - beginMs >= leftMs) return beginMs + leftMs;
        leftMs -= Math.max(0, endMs - beginMs);
      }
    }
    return undefined;
  }

  #day(day: number): Day {
    const known = this.#days.get(day);
    if (known) return known;
    const intervals = this.#stretches(day).flatMap((stretch) => this.#work(stretch));
    const totalMs = intervals.reduce((sum, [fromMs, toMs]) => sum + toMs - fromMs, 0);
    if (this.#days.size >= DAYS_KEPT_MAX) this.#days.clear();
    this.#days.set(day, { intervals, totalMs });
    return { intervals, totalMs };
  }

  #work({ fromMs, toMs, offsetMs }: Stretch): Interval[] {
    const intervals: Interval[] = [];
    const lastDay = Math.floor((toMs + offsetMs - 1) / DAY_MS);
    for (let day = Math.floor((fromMs + offsetMs) / DAY_MS); day <= lastDay; day += 1) {
      if (this.#holidays.has(day)) continue;
      const midnightMs = day * DAY_MS - offsetMs;
      for (const [startMs, endMs] of this.#week[weekdayOf(day) - 1] ?? []) {
        const beginMs = Math.max(fromMs, midnightMs + startMs);
        const finishMs = Math.min(toMs, midnightMs + endMs);
        if (beginMs < finishMs) intervals.push([beginMs, finishMs]);
      }
    }
    return intervals;
  }

  /** The parts of a day in which the clocks keep their distance from UTC: nowhere do they change twice in one. */
  #stretches(day: number): Stretch[] {
    const [fromMs, toMs] = [day * DAY_MS, (day + 1) * DAY_MS];
    const [offsetMs, laterMs] = [this.#boundary(fromMs), this.#boundary(toMs)];
    if (offsetMs === laterMs) return [{ fromMs, toMs, offsetMs }];
    const changeMs = this.#change(fromMs, toMs, offsetMs);
    return [
      { fromMs, toMs: changeMs, offsetMs },
      { fromMs: changeMs, toMs, offsetMs: laterMs },
    ];
  }

  /** The end of one day is the beginning of the next. */
  #boundary(ms: number): number {
    if (this.#last?.ms !== ms) this.#last = { ms, offsetMs: this.#offset(ms) };
    return this.#last.offsetMs;
  }

  /** The first instant that no longer has an offset, between one that has it and one that has not. */
  #change(beforeMs: number, afterMs: number, offsetMs: number): number {
    let [low, high] = [beforeMs, afterMs];
    while (high - low > CHANGE_MS) {
      const middle = low + Math.floor((high - low) / 2 / CHANGE_MS) * CHANGE_MS;
      if (this.#offset(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }

  #offset(ms: number): number {
    return Math.round(this.#zone.offset(ms) * MINUTE_MS);
  }
}

/** The hours of one weekday in order, where those that overlap or touch have become one. */
function spansOn(weekday: number, hours: readonly Hours[]): Interval[] {
  const spans = hours
    .filter(({ days }) => days.includes(weekday))
    .map(({ from, to }): Interval => [minutesOf(from) * MINUTE_MS, minutesOf(to) * MINUTE_MS])
    .toSorted(([left], [right]) => left - right);
  const merged: Interval[] = [];
  for (const [fromMs, toMs] of spans) {
    const last = merged.at(-1);
    if (last && fromMs <= last[1]) merged.splice(-1, 1, [last[0], Math.max(last[1], toMs)]);
    else merged.push([fromMs, toMs]);
  }
  return merged;
}

function weekdayOf(day: number): number {
  const index = (day + FIRST_WEEKDAY - 1) % WEEKDAYS;
  return (index < 0 ? index + WEEKDAYS : index) + 1;
}

function overlapMs([startMs, endMs]: Interval, fromMs: number, toMs: number): number {
  return Math.max(0, Math.min(endMs, toMs) - Math.max(startMs, fromMs));
}
