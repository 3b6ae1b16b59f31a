import { expect, test } from "vitest";
import {
  count,
  splitWords,
  tellTimes,
  toAge,
  toCountdown,
  toDuration,
  toStateWords,
  toWords,
} from "./words.ts";

test.each([
  ["in_progress", "In progress"],
  ["rolled-back", "Rolled back"],
  ["incident.sla_breached", "Incident SLA breached"],
  ["urls of oauth apps", "URLs of OAuth apps"],
  ["", ""],
])("%s is displayed as %s", (name, words) => expect(toWords(name)).toBe(words));

test.each([
  ["cmdbItems", "CMDB items"],
  ["retryDelay_ms", "Retry delay ms"],
])("the field %s is displayed as %s", (name, words) => expect(splitWords(name)).toBe(words));

test.each([
  [1, "1 step"],
  [0, "0 steps"],
  [12_000, "12,000 steps"],
])("%d is counted as %s", (n, text) => expect(count(n, "step")).toBe(text));

test.each([
  [47, "47 ms"],
  [1_520, "1.52 s"],
  [125_000, "2m 05s"],
  [7_380_000, "2h 03m"],
  [null, ""],
])("a duration of %s ms is displayed as %s", (ms, text) => expect(toDuration(ms)).toBe(text));

test.each([
  [2_735_000, "45m 35s"],
  [-385_000, "−6m 25s"],
  [-7_440_000, "−2h 04m"],
  [273_600_000, "3d 4h"],
])("a remaining time of %d ms is displayed as %s", (ms, text) =>
  expect(toCountdown(ms)).toBe(text),
);

test("an age is formatted in its largest unit", () => {
  const now = Date.parse("2026-11-16T12:00:00Z");
  expect(toAge("2026-11-16T11:59:30Z", now)).toBe("now");
  expect(toAge("2026-11-16T11:54:00Z", now)).toBe("6m ago");
  expect(toAge("2026-11-16T11:00:10Z", now)).toBe("59m ago");
  expect(toAge("2026-11-14T11:54:00Z", now)).toBe("2d ago");
});

test("states are converted to words, and user texts are not changed", () => {
  expect(["in_progress", "For packing and returns", null].map(toStateWords)).toEqual([
    "In progress",
    "For packing and returns",
    undefined,
  ]);
});

test("a sentence contains no ISO timestamps", () => {
  const told = tellTimes("It passed at 2026-11-18T10:08:56.474Z.");
  expect(told).toMatch(/^It passed at 1[789] Nov 2026, \d\d:\d\d\.$/);
});
