import { expect, test } from "vitest";
import type { Graph, Step } from "./graph.ts";
import { type NodeSummary, type RunStep, viewRun, viewSummary } from "./run-view.ts";

const node = (id: string, more: Partial<Step> = {}): Step =>
  ({ id, type: "set", name: id, config: {}, ...more }) as Step;
const taken = (
  id: string,
  status: RunStep["status"] = "completed",
  more: Partial<RunStep> = {},
): RunStep =>
  ({
    id,
    status,
    startedAt: "2026-11-16T00:00:00Z",
    finishedAt: status === "running" ? null : "2026-11-16T00:00:01Z",
    ...more,
  }) as RunStep;

const body: Graph = {
  nodes: [node("charge"), node("note")],
  edges: [{ from: "charge", to: "note" }],
};
const graph: Graph = { nodes: [node("each", { type: "loop", config: { body } })], edges: [] };
const steps = [
  taken("each", "failed", { items: 3 }),
  taken("each[0].charge", "completed", { branch: "true" }),
  taken("each[0].note"),
  taken("each[1].charge", "failed"),
  taken("each[1].note", "skipped", { finishedAt: null }),
  taken("each[2].charge", "running"),
];

test("all items together show counts, the most important step run, and the failed items", () => {
  const view = viewRun(graph, steps, new Map());
  expect(view.statuses.get("each/charge")).toEqual({ completed: 1, failed: 1, running: 1 });
  expect(view.branches.get("each/charge")).toEqual({ true: 1 });
  expect(view.steps.get("each/charge")?.id).toBe("each[1].charge");
  const loop = view.loops.get("each");
  expect([loop?.items, loop?.done, loop?.failed.map(({ item }) => item)]).toEqual([3, 2, [1]]);
});

test("a selected item shows its own path, and the loop still counts all items", () => {
  const view = viewRun(graph, steps, new Map([["each", 0]]));
  expect(view.steps.get("each/charge")?.id).toBe("each[0].charge");
  expect(view.statuses.get("each/charge")).toEqual({ completed: 1 });
  expect(view.loops.get("each")?.failed.map(({ item }) => item)).toEqual([1]);
});

test("node summaries replace steps that were not loaded, except for a selected loop item", () => {
  const times = { startedAt: null, finishedAt: null };
  const counts = (key: string, more: Partial<NodeSummary>): NodeSummary =>
    ({ key, nodeId: key, name: key, type: "set", branches: {}, ...times, ...more }) as NodeSummary;
  const loop = { items: 10_000, done: 8_000, failed: 1 };
  const nodes = [
    counts("each", { total: 1, statuses: { running: 1 }, loop }),
    counts("each/charge", { total: 8_002, statuses: { completed: 8_000, running: 1, failed: 1 } }),
  ];
  const known = [taken("each", "running", { items: 10_000 }), taken("each[7].charge")];
  const all = viewSummary(graph, { steps: known, nodes }, new Map());
  expect(all.loops.get("each")).toMatchObject({ items: 10_000, done: 8_001, failures: 1 });
  expect(all.steps.get("each/charge")?.status).toBe("failed");
  expect(all.statuses.get("each/charge")?.["completed"]).toBe(8_000);
  const one = viewSummary(graph, { steps: known, nodes }, new Map([["each", 7]]));
  expect(one.steps.get("each/charge")).toMatchObject({ id: "each[7].charge", status: "completed" });
  expect(one.statuses.get("each/charge")).toEqual({ completed: 1 });
  expect(one.loops.get("each")?.items).toBe(10_000);
});
