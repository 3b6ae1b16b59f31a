import { expect, test } from "vitest";
import { readMinutes, toMinuteWords } from "./minutes.ts";

test("durations are parsed in several formats", () => {
  expect(["15", "1h", "1h30", "1.5h", "2 h 5 m", "", "soon", "0"].map(readMinutes)).toEqual([
    15,
    60,
    90,
    90,
    125,
    undefined,
    undefined,
    undefined,
  ]);
  expect([45, 120, 90].map(toMinuteWords)).toEqual(["45m", "2h", "1h 30m"]);
});
