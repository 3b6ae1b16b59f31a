import { expect, test } from "vitest";
import { countRules, fromCondition, NO_FILTER, replaceAt, toCondition } from "./filter-tree.ts";

test("a filter converted from the API's format converts back unchanged", () => {
  const conditions = [
    {},
    { status: "open" },
    { status: { in: ["open", "new"] }, total: { gte: 10 } },
    { and: [{ total: { gte: 1 } }, { total: { lt: 5 } }] },
    {
      or: [
        { title: { contains: "x" } },
        { and: [{ due: { exists: false } }, { due: { lt: "2026-01-01" } }] },
      ],
    },
    { not: { status: "open" } },
  ];
  for (const condition of conditions) {
    expect(toCondition(fromCondition(condition))).toEqual(condition);
  }
});

test("a rule without a value is ignored, and a group without rules is removed", () => {
  const rule = { kind: "rule", field: "title", operator: "contains", value: "" } as const;
  const group = {
    ...NO_FILTER,
    parts: [rule, { ...NO_FILTER, mode: "or" as const, parts: [rule] }],
  };
  expect(toCondition(group)).toEqual({});
  expect(countRules(group)).toBe(2);
  expect(replaceAt(group, [1, 0], undefined).parts).toEqual([rule]);
});
