import { expect, test } from "vitest";
import { listDays, type Notice, computeStanding, computeUptime } from "./component-status.ts";

const now = new Date("2026-11-16T12:00:00Z");
const notice = (more: Partial<Notice>): Notice => ({
  publicId: "x",
  title: "Trouble",
  status: "investigating",
  effect: "down",
  componentIds: ["stc_a"],
  startedAt: "2026-11-15T12:00:00.000Z",
  resolvedAt: "2026-11-15T18:00:00.000Z",
  updates: [],
  ...more,
});

test("component status is the worst active notice, and page status is the worst component", () => {
  const open = [
    notice({ resolvedAt: null, effect: "degraded" }),
    notice({ resolvedAt: null, componentIds: ["stc_b"] }),
  ];
  expect([
    computeStanding(open, "stc_a"),
    computeStanding(open, "stc_b"),
    computeStanding(open),
  ]).toEqual(["degraded", "down", "down"]);
  expect(computeStanding([notice({})])).toBe("up");
});

test("each of ninety days shows its worst status, and overlaps count once in the uptime", () => {
  const notices = [
    notice({}),
    notice({ startedAt: "2026-11-15T16:00:00.000Z", resolvedAt: "2026-11-16T00:00:00.000Z" }),
  ];
  const days = listDays(notices, "stc_a", now);
  expect(days).toHaveLength(90);
  expect(days.slice(-3).map(({ day, standing }) => [day, standing])).toEqual([
    ["2026-11-14", "up"],
    ["2026-11-15", "down"],
    ["2026-11-16", "up"],
  ]);
  expect(computeUptime(notices, "stc_a", now)).toBeCloseTo(100 * (1 - 12 / (90 * 24)), 6);
  expect(computeUptime(notices, "stc_b", now)).toBe(100);
});
