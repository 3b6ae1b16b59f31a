import { expect, test } from "vitest";
import { type Due, leftOf, shareOf, toDueWords, toneOfDue } from "./due.ts";

const MINUTE = 60_000;
const due = (fields: Partial<Due> = {}): Due => ({
  state: "running",
  dueAt: "2026-11-16T12:00:00.000Z",
  remainingMs: 120 * MINUTE,
  targetMs: 240 * MINUTE,
  isCounting: true,
  readAtMs: 0,
  promise: "Resolution · High",
  ...fields,
});

test("remaining business time decreases while counting and stays constant while paused", () => {
  expect(leftOf(due(), 30 * MINUTE)).toBe(90 * MINUTE);
  expect(shareOf(due(), 60 * MINUTE)).toBe(0.25);
  expect(leftOf(due({ isCounting: false }), 999 * MINUTE)).toBe(120 * MINUTE);
  expect(shareOf(due(), 999 * MINUTE)).toBe(0);
});

test("the colour shows the urgency", () => {
  expect(toneOfDue(due(), 0)).toBe("ok");
  expect(toneOfDue(due(), 61 * MINUTE)).toBe("warn");
  expect(toneOfDue(due(), 121 * MINUTE)).toBe("bad");
  expect(toneOfDue(due({ state: "paused" }), 121 * MINUTE)).toBe("idle");
});

test("remaining time is formatted in a few characters", () => {
  const words = [0.5, 38, 125, 720, 4_000, -12, -0.2, -3_000].map((m) => toDueWords(m * MINUTE));
  expect(words).toEqual(["< 1m", "38m", "2h 05m", "12h", "2d", "−12m", "now", "−2d"]);
});
