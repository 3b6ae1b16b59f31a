import { expect, test } from "vitest";
import { dayOf, daysOf, stepMonth } from "./month.ts";

test("a month has six weeks starting on a Monday, and December is followed by January", () => {
  const days = daysOf("2026-11");
  expect([days[0], days[6], days.length]).toEqual(["2026-10-26", "2026-11-01", 42]);
  expect(stepMonth("2026-12", 1)).toBe("2027-01");
  expect(stepMonth("2026-01", -1)).toBe("2025-12");
  expect(dayOf("2026-11-05")).toBe("2026-11-05");
  expect(dayOf(null)).toBeUndefined();
});
