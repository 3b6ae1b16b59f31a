import { expect, test } from "vitest";
import { toIsoTime, toLocalTime } from "./local-time.ts";

test("a time converted for a field and back is the same minute", () => {
  for (const iso of ["2026-01-31T23:59:00.000Z", "2026-07-01T00:00:00.000Z"]) {
    expect(toIsoTime(toLocalTime(new Date(iso)))).toBe(iso);
  }
  expect(toIsoTime("")).toBeUndefined();
});
