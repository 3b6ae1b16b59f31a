import { expect, test } from "vitest";
import { describeRecent, shareOf, stateOf } from "./health.ts";

test("a share is never rounded to 0 or 100 %", () => {
  expect([1, 0.9999, 0.5, 0.004, 0].map(shareOf)).toEqual([
    "100 %",
    "99.9 %",
    "50 %",
    "0.4 %",
    "0 %",
  ]);
});

test("an active webhook with failures is not shown as active", () => {
  const health = { recent: ["succeeded", "failed"] } as never;
  const active = { status: "active", catchingUp: false } as const;
  expect(stateOf(active, undefined).label).toBe("Active");
  expect(stateOf(active, health).label).toBe("Failing");
  expect(stateOf({ ...active, catchingUp: true }, health).label).toBe("Catching up");
  expect(stateOf({ status: "paused", catchingUp: false }, health).label).toBe("Paused");
});

test("the strip of deliveries has a text alternative", () => {
  expect(describeRecent([])).toBe("No deliveries yet");
  expect(describeRecent(["succeeded", "failed", "pending"])).toBe(
    "1 of the newest 3 deliveries succeeded, 1 failed, 1 in progress",
  );
});
