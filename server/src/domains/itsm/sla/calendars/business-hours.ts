/**
 * Business hours. An instant is business time if its local time is within the working hours of a day that is not a
 * holiday. So an hour skipped by daylight saving does not count, and a repeated hour counts twice.
 *
 * Days are UTC days, which are ordered and equally long. Each is computed once: its spans of one UTC offset, and the
 * working intervals in them.
 */
import { IANAZone } from "luxon";

export interface Calendar {
  /** IANA name. */
  readonly timezone: string;
  readonly hours: readonly Hours[];
  /** Local days, such as `2026-12-25`. */
  readonly holidays?: readonly string[];
}

export interface Hours {
  /** 1 is Monday. */
  readonly days: readonly number[];
  readonly from: string;
  /** Up to `24:00`. On the next day if it is not later than `from`. */
  readonly to: string;
}

export interface BusinessTime {
  /** The business time between two instants. */
  readonly elapsed: (fromMs: number, toMs: number) => number;
  /** The first instant at which an amount is used up. Undefined if it is more than ten years later. */
  readonly after: (fromMs: number, amountMs: number) => number | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SEARCH_DAYS_MAX = 3_660;
/** An hour repeated by a clock change counts twice. */
const WEEKS_MAX = 1 + (2 * SEARCH_DAYS_MAX) / 7;
const CACHED_DAYS_MAX = 8_000;
/** The number of days with cached sums. The search looks this far ahead. */
const SUMS_MAX = 2 * CACHED_DAYS_MAX;
/** A request before the first day is usually followed by more. */
const SUMS_BACK = 400;
/** Offsets change at full seconds. */
const OFFSET_CHANGE_STEP_MS = 1_000;
const WEEKDAYS = 7;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;

/** All time is business time. */
const AROUND_THE_CLOCK: BusinessTime = {
  elapsed: (fromMs, toMs) => Math.max(0, toMs - fromMs),
  after: (fromMs, amountMs) =>
    amountMs > SEARCH_DAYS_MAX * DAY_MS ? undefined : fromMs + Math.max(0, amountMs),
};

/** The business time of a calendar. Without a calendar all time counts. */
export function businessTime(calendar: Calendar | null): BusinessTime {
  return calendar ? new WorkingTime(calendar) : AROUND_THE_CLOCK;
}

/** Returns true if the calendar has so few hours that a target would take more than ten years. */
export function isBeyondHorizon({ hours }: Pick<Calendar, "hours">, amountMs: number): boolean {
  return amountMs > (weekMs(hours) * SEARCH_DAYS_MAX) / WEEKDAYS;
}

/** The business time of a week without holidays. */
function weekMs(hours: readonly Hours[]): number {
  const days = Array.from({ length: WEEKDAYS }, (_, index) => mergeHours(index + 1, hours));
  return days.flat().reduce((sum, [fromMs, toMs]) => sum + toMs - fromMs, 0);
}

/** Minutes since midnight of a time such as `09:30`. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

type Interval = readonly [fromMs: number, toMs: number];

interface Day {
  /** Ordered and disjoint. */
  readonly intervals: readonly Interval[];
  readonly totalMs: number;
}

interface OffsetSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly offsetMs: number;
}

class WorkingTime implements BusinessTime {
  readonly #zone: IANAZone;
  /** By weekday, starting on Monday: milliseconds since midnight. */
  readonly #week: readonly (readonly Interval[])[];
  /** Local days since 1970. */
  readonly #holidays: ReadonlySet<number>;
  readonly #days = new Map<number, Day>();
  /** The business time of a week without holidays. */
  readonly #weekMs: number;
  /** The business time from the first day to the start of each later day. */
  #sums: number[] = [0];
  #firstDay = Number.POSITIVE_INFINITY;
  /** The last requested day boundary. */
  #last: { readonly ms: number; readonly offsetMs: number } | undefined;

  constructor({ timezone, hours, holidays = [] }: Calendar) {
    this.#zone = IANAZone.create(timezone);
    this.#week = Array.from({ length: WEEKDAYS }, (_, index) => mergeHours(index + 1, hours));
    this.#weekMs = weekMs(hours);
    this.#holidays = new Set(holidays.map((day) => Date.parse(day) / DAY_MS));
  }

  elapsed(fromMs: number, toMs: number): number {
    if (toMs <= fromMs) return 0;
    const [first, last] = [Math.floor(fromMs / DAY_MS), Math.floor(toMs / DAY_MS)];
    if (first === last || last - first > CACHED_DAYS_MAX) return this.#elapsedByDay(fromMs, toMs);
    const whole = this.#sumBefore(last, first) - this.#sumBefore(first + 1, first);
    return (
      whole +
      this.#elapsedByDay(fromMs, (first + 1) * DAY_MS) +
      this.#elapsedByDay(last * DAY_MS, toMs)
    );
  }

  after(fromMs: number, amountMs: number): number | undefined {
    if (amountMs <= 0) return fromMs;
    // Too far away, so no search by day is needed.
    if (amountMs > this.#weekMs * WEEKS_MAX) return undefined;
    const first = Math.floor(fromMs / DAY_MS);
    const used = this.#elapsedByDay(first * DAY_MS, fromMs);
    const day = this.#dayThatReaches(first, used + amountMs);
    if (day === undefined) return undefined;
    let leftMs = used + amountMs - (this.#sumBefore(day, first) - this.#sumBefore(first, first));
    for (const [startMs, endMs] of this.#day(day).intervals) {
      if (endMs - startMs >= leftMs) return startMs + leftMs;
      leftMs -= endMs - startMs;
    }
    return undefined;
  }

  /** Finds the first day by the end of which the amount has passed since the start of `first`. */
  #dayThatReaches(first: number, amountMs: number): number | undefined {
    const reaches = (day: number): boolean =>
      this.#sumBefore(day + 1, first) - this.#sumBefore(first, first) >= amountMs;
    let step = 1;
    while (!reaches(first + step - 1)) {
      if (step >= SEARCH_DAYS_MAX) return undefined;
      step = Math.min(2 * step, SEARCH_DAYS_MAX);
    }
    let [low, high] = [first + Math.floor(step / 2), first + step - 1];
    if (reaches(first)) return first;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (reaches(middle)) high = middle;
      else low = middle + 1;
    }
    return high;
  }

  /** The business time between two days, computed day by day. */
  #elapsedByDay(fromMs: number, toMs: number): number {
    let totalMs = 0;
    for (let day = Math.floor(fromMs / DAY_MS); day * DAY_MS < toMs; day += 1) {
      for (const interval of this.#day(day).intervals) totalMs += overlapMs(interval, fromMs, toMs);
    }
    return totalMs;
  }

  /**
   * The business time before a day, counted from the first requested day, so that differences are exact. `from` is a
   * day requested together with it.
   */
  #sumBefore(day: number, from: number): number {
    const isBefore = from < this.#firstDay;
    if (isBefore || day - this.#firstDay > SUMS_MAX) {
      this.#firstDay = from - (isBefore ? SUMS_BACK : 0);
      this.#sums = [0];
    }
    for (let last = this.#sums.length - 1; last < day - this.#firstDay; last += 1) {
      this.#sums.push((this.#sums[last] ?? 0) + this.#day(this.#firstDay + last).totalMs);
    }
    return this.#sums[day - this.#firstDay] ?? 0;
  }

  #day(day: number): Day {
    const cached = this.#days.get(day);
    if (cached) return cached;
    const intervals = this.#offsetSpans(day).flatMap((span) => this.#workingIntervals(span));
    const totalMs = intervals.reduce((sum, [fromMs, toMs]) => sum + toMs - fromMs, 0);
    if (this.#days.size >= CACHED_DAYS_MAX) this.#days.clear();
    this.#days.set(day, { intervals, totalMs });
    return { intervals, totalMs };
  }

  #workingIntervals({ fromMs, toMs, offsetMs }: OffsetSpan): Interval[] {
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

  /** Spans of a day with one UTC offset. No zone changes its offset twice in a day. */
  #offsetSpans(day: number): OffsetSpan[] {
    const [fromMs, toMs] = [day * DAY_MS, (day + 1) * DAY_MS];
    const [offsetMs, laterMs] = [this.#boundaryOffset(fromMs), this.#boundaryOffset(toMs)];
    if (offsetMs === laterMs) return [{ fromMs, toMs, offsetMs }];
    const changeMs = this.#findOffsetChange(fromMs, toMs, offsetMs);
    return [
      { fromMs, toMs: changeMs, offsetMs },
      { fromMs: changeMs, toMs, offsetMs: laterMs },
    ];
  }

  /** Caches the last boundary, because the end of a day is the start of the next. */
  #boundaryOffset(ms: number): number {
    if (this.#last?.ms !== ms) this.#last = { ms, offsetMs: this.#offset(ms) };
    return this.#last.offsetMs;
  }

  /** Finds the next offset change by binary search. */
  #findOffsetChange(beforeMs: number, afterMs: number, offsetMs: number): number {
    let [low, high] = [beforeMs, afterMs];
    while (high - low > OFFSET_CHANGE_STEP_MS) {
      const middle =
        low + Math.floor((high - low) / 2 / OFFSET_CHANGE_STEP_MS) * OFFSET_CHANGE_STEP_MS;
      if (this.#offset(middle) === offsetMs) low = middle;
      else high = middle;
    }
    return high;
  }

  #offset(ms: number): number {
    return Math.round(this.#zone.offset(ms) * MINUTE_MS);
  }
}

/** The hours of a weekday in order. Overlapping and adjacent hours are merged. */
function mergeHours(weekday: number, hours: readonly Hours[]): Interval[] {
  const dayBefore = weekday === 1 ? WEEKDAYS : weekday - 1;
  const spans = hours
    .flatMap(({ days, from, to }): Interval[] => {
      const [fromMs, toMs] = [minutesOf(from) * MINUTE_MS, minutesOf(to) * MINUTE_MS];
      const isToday = days.includes(weekday);
      if (fromMs < toMs) return isToday ? [[fromMs, toMs]] : [];
      const evening: Interval[] = isToday ? [[fromMs, DAY_MS]] : [];
      return days.includes(dayBefore) && toMs > 0 ? [...evening, [0, toMs]] : evening;
    })
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
