import { expect, test } from "vitest";
import {
  addDays,
  describeClosures,
  findMonday,
  listDays,
  placeOn,
  toDayKey,
  toSpan,
} from "./days.ts";

const local = (text: string): string => new Date(text).toISOString();
const days = listDays(findMonday(new Date("2026-11-18T09:00")));

test("three weeks begin on a Monday and have one entry per day, also across a change to summer time", () => {
  expect(days.map(({ key }) => key)).toHaveLength(21);
  expect([days[0]?.key, days[20]?.key]).toEqual(["2026-11-16", "2026-12-06"]);
  expect(toDayKey(findMonday(new Date("2026-11-22T23:59")))).toBe("2026-11-16");
  const keys = listDays(new Date("2026-03-23T00:00"), 14).map(({ key }) => key);
  expect(new Set(keys).size).toBe(14);
  expect(toDayKey(addDays(new Date("2026-10-25T00:00"), 1))).toBe("2026-10-26");
});

test("an overnight change is shown on its start day, and longer changes on every day", () => {
  const on = (start: string, end: string) =>
    days
      .slice(0, 4)
      .map((day) => placeOn(day, { plannedStart: local(start), plannedEnd: local(end) }));
  expect(on("2026-11-16T22:00", "2026-11-17T03:00")).toEqual([
    "begins",
    undefined,
    undefined,
    undefined,
  ]);
  expect(on("2026-11-16T18:00", "2026-11-18T12:00")).toEqual([
    "begins",
    "goes on",
    "goes on",
    undefined,
  ]);
});

test("a change freeze shows its start and end time if it covers only a part of a day", () => {
  const freeze = {
    name: "Freeze",
    start: local("2026-11-16T18:00"),
    end: local("2026-11-18T06:00"),
  };
  expect(
    days.slice(0, 4).map((day) => describeClosures(day, [freeze]).map(({ words }) => words)),
  ).toEqual([["Freeze from 18:00"], ["Freeze"], ["Freeze until 06:00"], []]);
});

test("a time window shows the end day unless it ends the following night", () => {
  const span = (start: string, end: string) => toSpan(local(start), local(end));
  expect(span("2026-11-16T22:00", "2026-11-17T03:00")).toBe(
    "Mon, 16 Nov, 22:00–03:00".replace("Mon,", "Mon"),
  );
  expect(span("2026-11-16T22:00", "2026-11-17T20:00")).toContain("Tue");
  expect(toSpan(null, null)).toBe("Not scheduled");
});
