import { expect, test } from "vitest";
import { formatMinutes, moveTask, parseMinutes, removeTask } from "./plan.ts";

const PLAN = [{ title: "a" }, { title: "b", dependsOn: [0] }, { title: "c", dependsOn: [0, 1] }];
const shown = (plan: ReturnType<typeof moveTask>) =>
  plan.map(({ title, dependsOn = [] }) => title + dependsOn.join(""));

test("moving and removing tasks keeps valid dependencies, and removes those on later tasks", () => {
  expect(shown(removeTask(PLAN, 0))).toEqual(["b", "c0"]);
  expect(shown(moveTask(PLAN, 0, 1))).toEqual(["b", "a", "c01"]);
  expect(shown(moveTask(PLAN, 2, 0))).toEqual(["c", "a", "b1"]);
  expect(moveTask(PLAN, 0, -1)).toBe(PLAN);
});

test("durations are parsed in several formats", () => {
  expect(["90 min", "4 h", "2 d", "1,5h", "3", "soon", ""].map(parseMinutes)).toEqual([
    90,
    240,
    2_880,
    90,
    180,
    undefined,
    undefined,
  ]);
  expect([90, 240, 2_880, undefined].map(formatMinutes)).toEqual(["90 min", "4 h", "2 d", ""]);
});
