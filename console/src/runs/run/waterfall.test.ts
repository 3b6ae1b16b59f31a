import { expect, test } from "vitest";
import type { Schemas } from "../../data/api.ts";
import { buildStepTree, listFallRows, listStepsWith, wayTo } from "./waterfall.ts";

const START = Date.parse("2026-11-16T12:00:00Z");
const at = (ms: number): string => new Date(START + ms).toISOString();

function step(id: string, status: string, from: number, to?: number): Schemas["RunStep"] {
  const nodeId = id.slice(id.lastIndexOf(".") + 1);
  const finishedAt = to === undefined ? null : at(to);
  const times = {
    startedAt: at(from),
    finishedAt,
    durationMs: to === undefined ? null : to - from,
  };
  const name = nodeId.toUpperCase();
  return {
    id,
    nodeId,
    name,
    type: "set",
    status,
    attempts: 1,
    logs: [],
    ...times,
  } as Schemas["RunStep"];
}

const STEPS = [
  step("read", "completed", 0, 10),
  step("other", "skipped", 0, 0),
  step("each", "failed", 10, 90),
  step("each[0].charge", "completed", 10, 40),
  step("each[1].charge", "failed", 20, 90),
  step("each[1].lines", "completed", 20, 50),
  step("each[1].lines[0].label", "completed", 20, 30),
];

test("a loop is one row with its counts until it is unfolded", () => {
  const rows = listFallRows(buildStepTree(STEPS), new Set());
  expect(rows.map(({ id }) => id)).toEqual(["read", "each"]);
  expect(rows[1]?.items).toEqual({ count: 2, failed: 1 });
});

test("the way to a step unfolds what it stands in, and an item spans its steps", () => {
  const open = new Set(wayTo("each[1].lines[0].label"));
  const rows = listFallRows(buildStepTree(STEPS), open);
  expect(rows.map(({ id, depth }) => `${"  ".repeat(depth)}${id}`)).toEqual([
    "read",
    "each",
    "  each[0]",
    "  each[1]",
    "    each[1].charge",
    "    each[1].lines",
    "      each[1].lines[0]",
    "        each[1].lines[0].label",
  ]);
  const item = rows.find(({ id }) => id === "each[1]");
  expect(item).toMatchObject({ status: "failed", startMs: START + 20, endMs: START + 90 });
});

test("steps are found by status, with their items", () => {
  expect(listStepsWith(STEPS, "failed").map(({ label }) => label)).toEqual(["EACH", "2 · CHARGE"]);
});
