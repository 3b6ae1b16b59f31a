import { expect, test } from "vitest";
import { tries } from "#kernel/testing/thorough.ts";
import { compileCronTimes, nextCronTime } from "./cron-time.ts";
import { checkSchedule } from "./schedule.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Zones with clock changes of an hour, of half an hour, at midnight, and without changes. */
const CHANGES: readonly (readonly [zone: string, from: string])[] = [
  ["Europe/Berlin", "2027-03-27T18:00Z"],
  ["Europe/Berlin", "2027-10-30T18:00Z"],
  ["America/New_York", "2027-03-13T18:00Z"],
  ["America/New_York", "2027-11-06T18:00Z"],
  ["Australia/Lord_Howe", "2027-10-02T08:00Z"],
  ["Australia/Lord_Howe", "2027-04-03T06:00Z"],
  ["America/Santiago", "2027-09-04T18:00Z"],
  ["America/Santiago", "2027-04-03T18:00Z"],
  ["Asia/Beirut", "2027-03-27T14:00Z"],
  ["Asia/Beirut", "2027-10-30T14:00Z"],
  ["Asia/Kolkata", "2027-03-27T18:00Z"],
];
const SPAN_MS = DAY_MS;

/** A cron field with the matching numbers. */
interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
}

/** A deterministic generator of numbers from 0. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

function randomField(pick: (below: number) => number, min: number, max: number): Field {
  const all = Array.from({ length: max - min + 1 }, (_, index) => min + index);
  const start = min + pick(all.length);
  const end = start + pick(max - start + 1);
  const step = 1 + pick(Math.min(20, max));
  switch (pick(6)) {
    case 0:
      return { text: "*", values: new Set(all) };
    case 1:
      return { text: `*/${step}`, values: new Set(all.filter((n) => (n - min) % step === 0)) };
    case 2:
      return {
        text: `${start}-${end}`,
        values: new Set(all.filter((n) => n >= start && n <= end)),
      };
    case 3: {
      const named = all.filter((n) => n >= start && n <= end && (n - start) % step === 0);
      return { text: `${start}-${end}/${step}`, values: new Set(named) };
    }
    case 4:
      return { text: `${start},${end}`, values: new Set([start, end]) };
    default:
      return { text: `${start}`, values: new Set([start]) };
  }
}

/** The local time in minutes, from the calendar of the JavaScript platform. */
function wallClock(timeZone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  return (ms) => {
    const parts = Object.fromEntries(
      format.formatToParts(ms).map((p) => [p.type, Number(p.value)]),
    );
    const { year = 0, month = 1, day, hour, minute } = parts;
    return Date.UTC(year, month - 1, day, hour, minute) / MINUTE_MS;
  };
}

/** Counts due times by minute, as a reference implementation. Skipped times are due together at the clock change. */
function countTimes(walls: ReadonlyMap<number, number>, minutes: Field, hours: Field): number[] {
  const isHourly = hours.values.size === 24;
  const matches = (wall: number): boolean =>
    minutes.values.has(wall % 60) && hours.values.has(Math.floor(wall / 60) % 24);
  const times: number[] = [];
  let latest: number | undefined;
  for (const [ms, wall] of walls) {
    const passed = latest === undefined ? 1 : Math.max(0, wall - latest);
    const due = isHourly
      ? matches(wall)
      : Array.from({ length: passed }, (_, index) => wall - index).some(matches);
    if (due) times.push(ms);
    latest = Math.max(latest ?? wall, wall);
  }
  return times;
}

test("matches the minute-by-minute reference for any expression and time zone", () => {
  const pick = chance(7);
  for (const [timezone, start] of CHANGES) {
    const fromMs = Date.parse(start);
    const wallAt = wallClock(timezone);
    const walls = new Map(
      Array.from({ length: SPAN_MS / MINUTE_MS }, (_, index) => {
        const ms = fromMs + index * MINUTE_MS;
        return [ms, wallAt(ms)] as const;
      }),
    );
    for (let round = 0; round < tries(4, 40); round += 1) {
      const minutes = randomField(pick, 0, 59);
      const hours = randomField(pick, 0, 23);
      const cron = `${minutes.text} ${hours.text} * * *`;
      const expected = countTimes(walls, minutes, hours);
      const actual: number[] = [];
      // The first minute includes earlier due times.
      let after = new Date(fromMs - 1);
      const nextTime = compileCronTimes({ cron, timezone });
      for (;;) {
        const next = nextTime(after);
        if (!next || next.getTime() >= fromMs + SPAN_MS) break;
        actual.push(next.getTime());
        after = next;
      }
      const toText = (ms: number): string => new Date(ms).toISOString();
      expect(actual.map(toText), `${cron} in ${timezone}`).toEqual(expected.map(toText));
    }
  }
});

test("lists, ranges, steps and seconds behave as described in the guide", () => {
  const times = (cron: string, day: string): string[] => {
    const found: string[] = [];
    let after = new Date(Date.parse(`${day}T00:00:00+02:00`) - 1);
    for (let count = 0; count < 4; count += 1) {
      after = nextCronTime({ cron, timezone: "Europe/Berlin" }, after) ?? after;
      if (after.getTime() < Date.parse(`${day}T23:00:00Z`))
        found.push(after.toISOString().slice(11, 19));
    }
    return found;
  };
  expect(times("30 2,14 * * *", "2027-03-28")).toEqual(["01:00:00", "12:30:00"]);
  expect(times("*/15 2 * * *", "2027-03-28")).toEqual(["01:00:00"]);
  expect(times("30 2,14 * * *", "2027-10-31")).toEqual(["00:30:00", "13:30:00"]);
  expect(times("0,30 2 * * *", "2027-10-31")).toEqual(["00:00:00", "00:30:00"]);
  expect(times("15 30 2 * * *", "2027-10-31")).toEqual(["00:30:15"]);
  expect(times("0 2 31 10 *", "2027-10-31")).toEqual(["00:00:00"]);
});

test.each([
  ["@daily", "2026-01-02T00:00:00.000Z"],
  ["@hourly", "2026-01-01T01:00:00.000Z"],
  ["0 6 ? * MON", "2026-01-05T06:00:00.000Z"],
  ["0 6 7 * ?", "2026-01-07T06:00:00.000Z"],
  ["5/15 * * * *", "2026-01-01T00:05:00.000Z"],
  ["0 0 L * *", "2026-01-31T00:00:00.000Z"],
  ["0 0 17W * *", "2026-01-16T00:00:00.000Z"],
  ["0 0 * * FRI#2", "2026-01-09T00:00:00.000Z"],
  ["0 0 * * 5L", "2026-01-30T00:00:00.000Z"],
])("%s has its common meaning", (cron, time) => {
  expect(checkSchedule({ cron })).toEqual([]);
  expect(nextCronTime({ cron }, new Date("2026-01-01T00:00:00Z"))?.toISOString()).toBe(time);
});
