import { expect, test } from "vitest";
import type { Definition } from "../../graph/graph.ts";
import { changeStepId, stepIdError } from "./step-id.ts";

const body = {
  nodes: [{ id: "say", type: "set", config: { values: { n: "{{ steps.read.output.n }}" } } }],
  edges: [],
};
const DEFINITION: Definition = {
  name: "Orders",
  trigger: { type: "manual" },
  nodes: [
    { id: "read", type: "set" },
    { id: "each", type: "loop", config: { items: "{{ steps.read-all.output }}", body } },
  ],
  edges: [{ from: "read", to: "each" }],
};

test("edges and expressions are updated when a step's id changes, also in loops", () => {
  const { nodes, edges } = changeStepId(DEFINITION, "read", "load");
  expect(edges).toEqual([{ from: "load", to: "each" }]);
  expect(nodes[0]?.id).toBe("load");
  expect(JSON.stringify(nodes[1]?.config)).toContain("steps.load.output.n");
  expect(nodes[1]?.config?.["items"]).toBe("{{ steps.read-all.output }}");
});

test("an id is a single word and unique", () => {
  expect(stepIdError(DEFINITION, "read", "say")).toBe("Another step has this ID.");
  expect(stepIdError(DEFINITION, "read", "a b")).toMatch("letters");
  expect(stepIdError(DEFINITION, "read", "read")).toBeUndefined();
});
