import { expect, test } from "vitest";
import type { CauseNode } from "./cause-tree.ts";
import { collectThings, nameResource } from "./known-things.ts";
import { findStepName } from "./step-names.ts";

const node = (about: Partial<CauseNode>): CauseNode => ({
  id: "evt_1",
  parentId: null,
  kind: "event",
  type: "record.deleted",
  label: "rec_1",
  status: null,
  at: "2026-11-18T16:50:26.548Z",
  ...about,
});
const resource = { type: "record", id: "rec_1", number: null, displayName: null };

test("a resource named by one node has that name everywhere, others show their type", () => {
  const gone = node({ resource });
  expect(nameResource(gone, collectThings([gone]))).toBe("Record");
  const things = collectThings([
    node({ resource: { ...resource, displayName: "Order 7" } }),
    gone,
    node({ id: "run_1", kind: "run", label: "Triage", ofId: "wf_1" }),
  ]);
  expect(nameResource(gone, things)).toBe("Order 7");
  expect(things.get("wf_1")).toEqual({ name: "Triage", type: "workflow" });
});

test("a step in a loop has the same name in every item", () => {
  const nodes = [
    { id: "each", name: "Each", config: { body: { nodes: [{ id: "call", name: "Call it" }] } } },
  ];
  expect(["each", "each[2].call", "gone.call"].map((id) => findStepName(nodes, id))).toEqual([
    "Each",
    "Call it",
    undefined,
  ]);
});
