import { expect, test } from "vitest";
import { describeStarted, findWarnings } from "./start.ts";

const planned = {
  plannedStart: "2026-11-21T20:00:00.000Z",
  plannedEnd: "2026-11-21T22:00:00.000Z",
};
const at = (time: string) => Date.parse(time);

test("a start within the window and without conflicts needs no reason, and one outside the window does", () => {
  expect(findWarnings(planned, undefined, at("2026-11-21T20:00:00Z"))).toEqual([]);
  expect(findWarnings(planned, undefined, at("2026-11-21T22:00:00Z"))).toHaveLength(1);
  expect(findWarnings(planned, undefined, at("2026-11-19T03:22:00Z"))).toEqual([
    "The current time is outside the planned window.",
  ]);
  const open = { ...planned, plannedEnd: null };
  expect(findWarnings(open, undefined, at("2026-11-19T03:22:00Z"))).toEqual([]);
});

test("the timeline describes how a change started, and why", () => {
  expect(describeStarted({ outsideWindow: false })).toBe("started the change");
  expect(describeStarted({ outsideWindow: true, reason: "The team is here" })).toBe(
    "started the change outside its window: The team is here",
  );
  expect(
    describeStarted({
      outsideWindow: false,
      conflicts: [{ number: "CHG0000002" }],
      blackoutWindows: [{ name: "Year end" }],
      reason: "Disk full",
    }),
  ).toBe(
    "started the change during the change freeze Year end, in conflict with CHG0000002: Disk full",
  );
});
