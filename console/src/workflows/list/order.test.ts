import { expect, test } from "vitest";
import { isShown, listTags, sortWorkflows } from "./order.ts";

const workflow = (id: string, name: string, status = "active", updatedAt = "2026-11-01") => ({
  id,
  name,
  status,
  updatedAt,
});
const run = (createdAt: string) => ({
  id: "run",
  status: "failed",
  createdAt,
  durationMs: 1,
});
const summaries = new Map([
  ["a", { failures: 1, last: [run("2026-11-10")] }],
  ["b", { failures: 0, last: [run("2026-11-12")] }],
]);
const all = [
  workflow("a", "Order 10"),
  workflow("b", "Order 9", "inactive", "2026-11-05"),
  workflow("c", "Old", "archived"),
];
const ids = (list: readonly { id: string }[]): string => list.map(({ id }) => id).join("");

test.each([
  ["name", "cba"],
  ["-name", "abc"],
  ["failures", "acb"],
  ["runs", "bac"],
  ["changed", "bca"],
  ["nonsense", "cba"],
])("sorted by %s, workflows are in the order %s", (sort, order) =>
  expect(ids(sortWorkflows(all, sort, summaries))).toBe(order),
);

test.each([
  [undefined, "ab"],
  ["active", "a"],
  ["inactive", "b"],
  ["failing", "a"],
  ["archived", "c"],
] as const)("shown as %s are %s", (show, shown) =>
  expect(ids(all.filter((one) => isShown(one, show, summaries)))).toBe(shown),
);

test("tags are sorted by usage", () => {
  expect(listTags([{ tags: ["b", "a"] }, { tags: ["b"] }, {}])).toEqual(["b", "a"]);
});
