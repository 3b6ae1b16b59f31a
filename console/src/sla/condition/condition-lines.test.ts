import { expect, test } from "vitest";
import { toCondition, toConditionLines } from "./condition-lines.ts";

test("a condition of comparisons is edited as lines and converted back unchanged", () => {
  for (const condition of [
    {},
    { priority: { lte: 2 }, category: "network" },
    { state: { in: ["new", "on_hold"] }, teamId: null },
    { and: [{ priority: { gte: 2 } }, { priority: { lte: 3 } }] },
  ]) {
    expect(toCondition(toConditionLines(condition) ?? [])).toEqual(condition);
  }
});

test("a condition that lines can't represent is not changed", () => {
  expect(toConditionLines({ or: [{ priority: 1 }] })).toBeUndefined();
  expect(toConditionLines({ priority: { gte: 1, lte: 2 } })).toBeUndefined();
});
