import { expect, test } from "vitest";
import { planPages, type Target } from "./page-plan.ts";

const target = (id: string): Target => ({ type: "user", id });
const step = (waitMinutes: number, ...ids: readonly string[]) => ({
  waitMinutes,
  targets: ids.map(target),
});

test("steps wait for their delays, rounds repeat, and a step without people is skipped immediately", () => {
  const policy = { steps: [step(5, "ann", "ann"), step(9, "gone"), step(10, "ben")], repeats: 1 };
  const { planned, endMs } = planPages(policy, 0, ({ id }) => (id === "gone" ? [] : [id]));
  expect(planned.map(({ atMs, userIds }) => [atMs / 60_000, ...userIds])).toEqual([
    [0, "ann"],
    [5],
    [5, "ben"],
    [15, "ann"],
    [20],
    [20, "ben"],
  ]);
  expect(endMs).toBe(30 * 60_000);
});

test("a long escalation is truncated to the display and has no end time", () => {
  const { planned, endMs } = planPages({ steps: [step(1, "ann")], repeats: 20 }, 0, () => ["ann"]);
  expect(planned).toHaveLength(12);
  expect(endMs).toBeUndefined();
});
