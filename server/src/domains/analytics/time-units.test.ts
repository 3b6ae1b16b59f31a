/** Tests hours, days and longer units in a time zone: relative times in memory, buckets in SQL. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { resolveRelativeTime } from "#kernel/condition/relative-time.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { time } from "./testing/drafts.ts";
import { bucketOf, type Row } from "./testing/expected-results.ts";

const PREVIEW = "POST /api/v1/analytics/reports/preview";
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"];

const world = await useWorld();
const owner = await world.member(["owner"]);

test("a relative time is the start of its unit in local time, including nights with clock changes", () => {
  fc.assert(
    fc.property(
      time,
      fc.constantFrom(...ZONES),
      fc.constantFrom("hour", "day", "week", "month", "quarter", "year"),
      (now, timezone, unit) => {
        const clock = { now: new Date(now), timezone };
        const shown = (text: string) => resolveRelativeTime(text, clock)?.toUTC().toISO();
        const start = shown(`$startOf.${unit}`);
        expect(start).toBe(bucketOf(now, { unit, timezone }));
        // The end of a unit is the start of the next one, without a gap.
        const end = shown(`$endOf.${unit}`) ?? "";
        expect(end > now).toBe(true);
        expect(bucketOf(end, { unit, timezone })).toBe(end);
        const before = new Date(Date.parse(end) - 1).toISOString();
        expect(bucketOf(before, { unit, timezone })).toBe(start);
      },
    ),
    {
      numRuns: tries(200),
      examples: [
        // Clocks there change by half an hour in both directions.
        ["2025-04-05T15:29:59.000Z", "Australia/Lord_Howe", "hour"],
        ["2025-10-04T15:40:00.000Z", "Australia/Lord_Howe", "hour"],
      ],
    },
  );
  const clock = { now: new Date("2026-03-29T10:00:00Z"), timezone: "Europe/Berlin" };
  const shown = (text: string) => resolveRelativeTime(text, clock)?.toUTC().toISO();
  // That day had 23 hours in the zone.
  expect(shown("$now-1d")).toBe("2026-03-28T11:00:00.000Z");
  expect(shown("$now-24h")).toBe("2026-03-28T10:00:00.000Z");
  expect(shown("$startOf.month-1M")).toBe("2026-01-31T23:00:00.000Z");
  expect(shown("$now-30")).toBeUndefined();
});

test("a day with two midnights starts at the first", () => {
  const clock = { now: new Date("2025-11-02T20:00:00Z"), timezone: "America/Havana" };
  const shown = (text: string) => resolveRelativeTime(text, clock)?.toUTC().toISO();
  expect(shown("$startOf.day")).toBe("2025-11-02T04:00:00.000Z");
  expect(shown("$startOf.month+1d")).toBe("2025-11-02T04:00:00.000Z");
  expect(shown("$endOf.day")).toBe("2025-11-03T05:00:00.000Z");
});

test("an hour with a half-hour clock change is one bucket, with the start of $startOf.hour", async () => {
  const timezone = "Australia/Lord_Howe";
  const times = ["2025-04-05T13:00:00Z", "2025-10-04T13:00:00Z"].flatMap((first) =>
    Array.from({ length: 24 }, (_, n) =>
      new Date(Date.parse(first) + n * 10 * 60_000).toISOString(),
    ),
  );
  const columns = [{ name: "at", type: "timestamp" }];
  const changes = await createFilledTable(
    world,
    owner,
    { columns },
    times.map((time) => ({ at: time })),
  );
  const counted = async (period: object, fill: boolean) => {
    const { body } = await owner(PREVIEW, {
      source: { kind: "records", table: changes.slug },
      timezone,
      period: { field: "at", ...period },
      timeBucket: { field: "at", unit: "hour", timezone, fill },
    });
    return body.data.rows.map(({ bucket, count }: Row) => [bucket, count]);
  };
  const all = { from: "2025-04-05T00:00:00Z", to: "2025-10-06T00:00:00Z" };
  const expected = Map.groupBy(times, (time) => bucketOf(time, { unit: "hour", timezone }));
  expect(await counted(all, false)).toEqual([...expected].map(([at, own]) => [at, own.length]));
  expect(expected.get("2025-04-05T14:00:00.000Z")).toHaveLength(9);
  expect(expected.get("2025-10-04T15:30:00.000Z")).toHaveLength(3);
  // Without rows, its hours are the same ones.
  const night = { from: "2025-04-04T13:00:00Z", to: "2025-04-05T17:00:00Z" };
  const filled = (await counted(night, true)).map(([at]: [string]) => at);
  expect(filled.slice(-4)).toEqual([
    "2025-04-05T13:00:00.000Z",
    "2025-04-05T14:00:00.000Z",
    "2025-04-05T15:30:00.000Z",
    "2025-04-05T16:30:00.000Z",
  ]);
});
