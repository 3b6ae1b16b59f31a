import { expect, test } from "vitest";
import { planBulk, tellOutcome, toCancelAll, toRetryAll, toRetryFilters } from "./bulk.ts";
import type { Run } from "./run-book.ts";

const run = (id: string, status: string, test_ = false): Run =>
  ({ id, status, test: test_, version: 1 }) as Run;
const RUNS = [
  run("e", "completed"),
  run("d", "failed"),
  run("c", "running"),
  run("b", "failed", true),
  run("a", "cancelled"),
];

test("a retry counts the runs oldest first, and lists skipped runs with the reason", () => {
  expect(planBulk("retry", RUNS, true)).toEqual({
    ids: ["a", "d"],
    left: [
      { reason: "Dry runs can't be retried. Start a new dry run.", count: 1 },
      { reason: "The run has not ended yet.", count: 1 },
      { reason: "The run has completed.", count: 1 },
    ],
  });
});

test("only active runs can be cancelled, and none without the permission", () => {
  expect(planBulk("cancel", RUNS, true).ids).toEqual(["c"]);
  expect(planBulk("cancel", RUNS, false)).toEqual({
    ids: [],
    left: [{ reason: "You don't have permission to cancel runs.", count: 5 }],
  });
});

test("the result names the rejected runs", () => {
  expect(tellOutcome("retry", 1, [])).toBe("1 run retried.");
  expect(tellOutcome("cancel", 3, ["The run has ended."])).toBe(
    "3 runs cancelled. 1 failed: The run has ended.",
  );
});

test("a selection is retried by status, and a complete list by its own filter if the API supports it", () => {
  expect(toRetryFilters(RUNS, ["a", "d"])).toEqual([
    { status: "failed", runIds: ["d"] },
    { status: "cancelled", runIds: ["a"] },
  ]);
  const query = { status: "failed", workflowId: "wf_1", error: "card" };
  expect(toRetryAll({ status: "failed" }, query)).toEqual({
    status: "failed",
    workflowId: "wf_1",
    error: "card",
  });
  expect(toRetryAll({ status: "failed", version: 2 }, query)).toBeUndefined();
  expect(toRetryAll({}, {})).toBeUndefined();
});

test("all active runs are cancelled with the filter of the list, if the server supports it", () => {
  const query = { workflowId: "wf_1", from: "2026-01-01T00:00:00Z", status: "waiting" } as const;
  expect(toCancelAll({ status: "waiting" }, query)).toEqual(query);
  expect(toCancelAll({ status: "failed" }, {})).toBeUndefined();
  expect(toCancelAll({}, {})).toBeUndefined();
  expect(toCancelAll({ status: "running", trigger: "webhook" }, {})).toBeUndefined();
});
