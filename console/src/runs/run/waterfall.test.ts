import { expect, test } from "vitest";
import type { Schemas } from "../../data/api.ts";
import {
  buildStepTree,
  listFallRows,
  listPlainRows,
  listStretches,
  UNREAD,
  wayTo,
} from "./waterfall.ts";

const START = Date.parse("2026-11-16T12:00:00Z");
const at = (ms: number): string => new Date(START + ms).toISOString();

interface Times {
  readonly from: number;
  readonly to: number;
  readonly items?: number;
}

function step(id: string, status: string, { from, to, ...rest }: Times): Schemas["RunStep"] {
  const nodeId = id.slice(id.lastIndexOf(".") + 1);
  const times = { startedAt: at(from), finishedAt: at(to), durationMs: to - from, ...rest };
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
  step("read", "completed", { from: 0, to: 10 }),
  step("other", "skipped", { from: 0, to: 0 }),
  step("each", "failed", { from: 10, to: 90, items: 3 }),
  step("each[0].charge", "completed", { from: 10, to: 40 }),
  step("each[1].charge", "failed", { from: 20, to: 90 }),
  step("each[1].lines", "completed", { from: 20, to: 50, items: 1 }),
  step("each[1].lines[0].label", "completed", { from: 20, to: 30 }),
];

test("a collapsed loop is one row with counts", () => {
  const rows = listFallRows(buildStepTree(STEPS), new Set(), new Map([["each", 1]]));
  expect(rows.map(({ id }) => id)).toEqual(["read", "each"]);
  expect(rows[1]?.items).toEqual({ count: 3, failed: 1 });
});

test("an item that is not loaded has a row, and the visible rows determine what to load", () => {
  const steps = [step("each", "running", { from: 0, to: 1, items: 10_000 })];
  const rows = listFallRows(buildStepTree(steps), new Set(["each"]));
  expect(rows).toHaveLength(10_001);
  expect(rows[10_000]).toMatchObject({ id: "each[9999]", status: UNREAD });
  expect(listStretches(rows.slice(45, 60), new Set(["each", "each[7000]"]), 50)).toEqual([
    { loop: "each", first: 7_000 },
    { loop: "each", first: 0 },
    { loop: "each", first: 50 },
  ]);
});

test("showing a step expands its loops, and an item spans its steps", () => {
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
    "  each[2]",
  ]);
  const item = rows.find(({ id }) => id === "each[1]");
  expect(item).toMatchObject({ status: "failed", startMs: START + 20, endMs: START + 90 });
});

test("a step outside its loop is labelled with its items", () => {
  const failed = STEPS.filter(({ status }) => status === "failed");
  expect(listPlainRows(failed).map(({ label }) => label)).toEqual(["EACH", "2 · CHARGE"]);
});
