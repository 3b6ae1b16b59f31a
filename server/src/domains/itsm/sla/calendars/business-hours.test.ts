import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { businessTime, type Calendar, isBeyondHorizon } from "./business-hours.ts";
import { tries } from "#kernel/testing/thorough.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEEK = [1, 2, 3, 4, 5];
const ALL = [1, 2, 3, 4, 5, 6, 7];
const ms = (time: string): number => Date.parse(time);

function calendarOf(timezone: string, hours: Calendar["hours"], holidays: string[] = []): Calendar {
  return { timezone, hours, holidays };
}
const office = calendarOf("Europe/Berlin", [{ days: WEEK, from: "09:00", to: "17:00" }]);

describe("business time between two instants", () => {
  test.each<[string, Calendar, string, number]>([
    ["a whole week", office, "2026-06-01T00:00:00Z/2026-06-08T00:00:00Z", 40],
    ["an evening", office, "2026-06-01T15:00:00Z/2026-06-02T07:00:00Z", 0],
    ["over night", office, "2026-06-01T14:30:00Z/2026-06-02T07:30:00Z", 1],
    ["a weekend", office, "2026-06-05T15:00:00Z/2026-06-08T07:00:00Z", 0],
    ["backwards", office, "2026-06-08T07:00:00Z/2026-06-01T15:00:00Z", 0],
    [
      "a holiday",
      { ...office, holidays: ["2026-06-02"] },
      "2026-06-01T00:00:00Z/2026-06-04T00:00:00Z",
      16,
    ],
    [
      "until midnight, and on from there",
      calendarOf("Asia/Kolkata", [
        { days: ALL, from: "22:00", to: "24:00" },
        { days: ALL, from: "00:00", to: "01:30" },
      ]),
      "2026-06-01T00:00:00Z/2026-06-11T00:00:00Z",
      35,
    ],
    [
      "spans that overlap, once",
      calendarOf("UTC", [
        { days: [1], from: "09:00", to: "12:00" },
        { days: [1], from: "10:00", to: "13:00" },
        { days: [1], from: "13:00", to: "14:00" },
        { days: [1], from: "15:00", to: "16:00" },
      ]),
      "2026-06-01T00:00:00Z/2026-06-02T00:00:00Z",
      6,
    ],
    [
      "an hour that is skipped in spring",
      calendarOf("Europe/Berlin", [{ days: [7], from: "00:00", to: "24:00" }]),
      "2026-03-28T00:00:00Z/2026-03-30T00:00:00Z",
      23,
    ],
    [
      "hours that are not there at all",
      calendarOf("Europe/Berlin", [{ days: [7], from: "02:00", to: "03:00" }]),
      "2026-03-28T00:00:00Z/2026-03-30T00:00:00Z",
      0,
    ],
    [
      "an hour that comes twice in autumn",
      calendarOf("Europe/Berlin", [{ days: [7], from: "02:00", to: "03:00" }]),
      "2026-10-24T00:00:00Z/2026-10-26T00:00:00Z",
      2,
    ],
    [
      "half an hour that comes twice",
      calendarOf("Australia/Lord_Howe", [{ days: [7], from: "00:00", to: "24:00" }]),
      "2026-04-04T00:00:00Z/2026-04-06T00:00:00Z",
      24.5,
    ],
    [
      "a day that an island went without",
      calendarOf("Pacific/Apia", [{ days: ALL, from: "09:00", to: "17:00" }]),
      "2011-12-29T10:00:00Z/2011-12-31T10:00:00Z",
      16,
    ],
    [
      "clocks that go back over midnight",
      calendarOf("America/St_Johns", [{ days: [7], from: "00:00", to: "00:01" }]),
      "2010-11-06T00:00:00Z/2010-11-08T12:00:00Z",
      2 / 60,
    ],
  ])("%s", (_name, calendar, interval, hours) => {
    const [from = "", to = ""] = interval.split("/");
    expect(businessTime(calendar).elapsed(ms(from), ms(to))).toBe(Math.round(hours * HOUR_MS));
  });
});

test.each<[string, number, string]>([
  ["2026-06-01T08:00:00Z", 60, "2026-06-01T09:00:00.000Z"],
  // All time is used at the end of the day, not at the start of the next one.
  ["2026-06-01T14:00:00Z", 60, "2026-06-01T15:00:00.000Z"],
  ["2026-06-01T14:00:00Z", 61, "2026-06-02T07:01:00.000Z"],
  ["2026-06-05T20:00:00Z", 30, "2026-06-08T07:30:00.000Z"],
  ["2026-06-05T20:00:00Z", 0, "2026-06-05T20:00:00.000Z"],
  ["2026-10-23T14:00:00Z", 120, "2026-10-26T09:00:00.000Z"],
])("from %s %d minutes last until %s", (from, minutes, until) => {
  const at = businessTime(office).after(ms(from), minutes * MINUTE_MS);
  expect(at !== undefined && new Date(at).toISOString()).toBe(until);
});

test("returns no due time for amounts above ten years", () => {
  const rare = calendarOf("UTC", [{ days: [1], from: "09:00", to: "09:01" }]);
  expect(businessTime(rare).after(ms("2026-06-01T00:00:00Z"), 600 * MINUTE_MS)).toBeUndefined();
  expect(businessTime(null).after(0, 365 * 24 * HOUR_MS)).toBe(365 * 24 * HOUR_MS);
});

const times = fc.integer({ min: ms("2025-01-01T00:00:00Z"), max: ms("2027-12-31T00:00:00Z") });
const span = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    fc.integer({ min: 0, max: 1439 }),
    fc.integer({ min: 1, max: 1440 }),
  )
  .map(([days, from, length]) => ({
    days,
    from: timeOf(from),
    to: timeOf(Math.min(1440, from + length)),
  }));
const calendars = fc.record({
  timezone: fc.constantFrom(
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Africa/Casablanca",
    "Pacific/Chatham",
    "UTC",
  ),
  hours: fc.array(span, { minLength: 1, maxLength: 4 }),
  holidays: fc.constantFrom([], ["2026-03-29", "2026-12-25"], ["2026-11-01"]),
});

function timeOf(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60];
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

test("elapsed times of consecutive ranges add up", () => {
  fc.assert(
    fc.property(calendars, fc.tuple(times, times, times), (calendar, three) => {
      const [from = 0, between = 0, to = 0] = three.toSorted((left, right) => left - right);
      const { elapsed } = bound(calendar);
      expect(elapsed(from, between) + elapsed(between, to)).toBe(elapsed(from, to));
      expect(elapsed(from, to)).toBeLessThanOrEqual(to - from);
    }),
    { numRuns: tries(40) },
  );
});

test("uses the full amount exactly at the deadline", () => {
  const amounts = fc.integer({ min: 1, max: 100 * HOUR_MS });
  fc.assert(
    fc.property(calendars, times, amounts, (calendar, from, amount) => {
      const { elapsed, after } = bound(calendar);
      const until = after(from, amount);
      if (until === undefined) return;
      expect(elapsed(from, until)).toBe(amount);
      expect(elapsed(from, until - 1)).toBe(amount - 1);
    }),
    { numRuns: tries(100) },
  );
});

function bound(calendar: Calendar) {
  const time = businessTime(calendar);
  return {
    elapsed: (from: number, to: number) => time.elapsed(from, to),
    after: (from: number, amount: number) => time.after(from, amount),
  };
}

test("quickly rejects targets above ten calendar years", () => {
  const minute = calendarOf("America/New_York", [{ days: [1], from: "00:00", to: "00:01" }]);
  expect(isBeyondHorizon(minute, 520 * MINUTE_MS)).toBe(false);
  expect(isBeyondHorizon(minute, 525 * MINUTE_MS)).toBe(true);
  const time = businessTime(minute);
  expect(time.after(ms("2026-01-01T00:00:00Z"), 525_600 * MINUTE_MS)).toBeUndefined();
  const due = time.after(ms("2026-01-01T00:00:00Z"), 500 * MINUTE_MS);
  expect(new Date(due ?? 0).toISOString()).toBe("2035-07-30T04:01:00.000Z");
});
