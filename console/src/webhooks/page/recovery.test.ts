import { expect, test } from "vitest";
import { progressOf } from "./recovery.ts";

test("progress follows the log time of the last processed event, and is complete when the recovery has finished", () => {
  const open = {
    since: "2026-01-01T00:00:00Z",
    requestedAt: "2026-01-02T00:00:00Z",
    reachedAt: null,
    finishedAt: null,
  };
  expect(progressOf(open)).toBe(0);
  expect(progressOf({ ...open, reachedAt: "2026-01-01T12:00:00Z" })).toBe(0.5);
  expect(progressOf({ ...open, reachedAt: open.requestedAt })).toBe(0.99);
  expect(progressOf({ ...open, finishedAt: open.requestedAt })).toBe(1);
  expect(progressOf({ ...open, since: "evt_1", reachedAt: open.requestedAt })).toBe(0);
});
