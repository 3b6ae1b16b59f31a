import { expect, test } from "vitest";
import type { Definition } from "../definition/index.ts";
import { changedFields, diffDefinitions, summarizeDifference } from "./diff.ts";

function definition(more: Partial<Definition> = {}): Definition {
  return {
    name: "Greet",
    trigger: { type: "manual" },
    nodes: [node("a"), node("b")],
    edges: [{ from: "a", to: "b" }],
    ...more,
  };
}

function node(id: string, values: object = {}) {
  return { id, type: "set", config: { values } };
}

const CHANGES: [words: string, change: Partial<Definition>, fields: string[]][] = [
  ["No changes", {}, []],
  ["Reordered", { nodes: [node("b"), node("a")] }, ["nodes"]],
  ["Added c", { nodes: [node("a"), node("b"), node("c")] }, ["nodes"]],
  ["Removed b", { nodes: [node("a")] }, ["nodes"]],
  ["Changed a", { nodes: [node("a", { x: 1 }), node("b")] }, ["nodes"]],
  ["Edges: 1 added, 1 removed", { edges: [{ from: "a", to: "b", when: "error" }] }, ["edges"]],
  ["Trigger manual changed to webhook", { trigger: { type: "webhook" } }, ["trigger"]],
  ["Set name, timeoutMs", { name: "Other", timeoutMs: 1 }, ["name", "timeoutMs"]],
  [
    "Added c. Removed b. Edges: 0 added, 1 removed. Set description",
    { nodes: [node("a"), node("c")], edges: [], description: "New" },
    ["description", "nodes", "edges"],
  ],
];

test.each(CHANGES)("summary: %s", (words, change, fields) => {
  const [before, after] = [definition(), definition(change)];
  const difference = diffDefinitions(before, after);
  expect(summarizeDifference(difference)).toBe(words);
  expect(changedFields(before, after)).toEqual(fields);
  expect(difference.identical).toBe(fields.length === 0);
});

test("the same trigger type with other fields counts as changed", () => {
  const [before, after] = ["a", "b"].map((topic) =>
    definition({ trigger: { type: "event_bus", topic } }),
  );
  if (!before || !after) throw new Error("there are two");
  expect(summarizeDifference(diffDefinitions(before, after))).toBe("Trigger event_bus changed");
});

test("a long list of names is shortened", () => {
  const nodes = Array.from({ length: 14 }, (_, index) => node(`n${index}`));
  const difference = diffDefinitions(definition({ nodes: [] }), definition({ nodes }));
  expect(summarizeDifference(difference)).toBe(
    "Added n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 4 more",
  );
});
