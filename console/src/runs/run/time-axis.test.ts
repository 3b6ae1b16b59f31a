import { expect, test } from "vitest";
import type { Schemas } from "../../data/api.ts";
import { findBusySpans, measureAxis, placeSpan, placeTime } from "./time-axis.ts";

const START = Date.parse("2026-11-16T12:00:00Z");
const at = (ms: number): string => new Date(START + ms).toISOString();

function step(type: string, from: number, to?: number): Schemas["RunStep"] {
  const finishedAt = to === undefined ? null : at(to);
  return { type, status: "completed", startedAt: at(from), finishedAt } as Schemas["RunStep"];
}
const run = (endMs?: number) => ({
  createdAt: at(0),
  startedAt: at(0),
  finishedAt: endMs === undefined ? null : at(endMs),
});

test("a run without waits has a linear axis", () => {
  const axis = measureAxis(
    run(200),
    findBusySpans([step("set", 0, 100), step("http", 100, 200)]),
    0,
  );
  expect(axis.quiet).toEqual([]);
  expect(placeTime(axis, START + 50)).toBe(0.25);
});

test("a wait of one day does not hide one second of work before or after it", () => {
  const dayMs = 86_400_000;
  const steps = [
    step("set", 0, 500),
    step("approval", 500, dayMs),
    step("http", dayMs, dayMs + 500),
  ];
  const axis = measureAxis(run(dayMs + 500), findBusySpans(steps), 0);
  expect(axis.quiet).toEqual([{ startMs: START + 500, endMs: START + dayMs }]);
  expect(placeTime(axis, START + 500)).toBeCloseTo(0.44);
  expect(placeTime(axis, START + dayMs)).toBeCloseTo(0.56);
  expect(placeTime(axis, START + dayMs + 500)).toBeCloseTo(1);
});

test("an active run extends to now, and a run that only waits shows the wait", () => {
  const axis = measureAxis(run(), findBusySpans([step("approval", 0)]), START + 60_000);
  expect(axis.quiet).toEqual([]);
  expect(placeSpan({ startMs: START + 30_000, endMs: undefined }, axis)).toEqual({
    from: 0.5,
    to: 1,
  });
});
