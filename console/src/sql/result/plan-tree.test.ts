import { expect, test } from "vitest";
import { toPlanLines } from "./plan-tree.ts";

const node = (id: number, parent: number | null, more: object = {}) => ({
  id,
  parent,
  type: "Sort",
  ...more,
});
const plan = (nodes: ReturnType<typeof node>[]) => ({
  nodes,
  isLimited: false,
  truncated: false,
  durationMs: 1,
});

test("the time of a node excludes the time of its children", () => {
  const lines = toPlanLines(
    plan([
      node(0, null, { durationMs: 10, rows: 5, estimatedRows: 500 }),
      node(1, 0, { durationMs: 8 }),
      node(2, 1, { durationMs: 2 }),
    ]),
  );
  expect(lines.map(({ depth, own }) => [depth, own])).toEqual([
    [0, 2],
    [1, 6],
    [2, 2],
  ]);
  expect(lines[1]?.share).toBeCloseTo(0.6);
  expect(lines[0]?.missedBy).toBe(100);
  expect(lines[1]?.missedBy).toBeUndefined();
});

test("without row counts, there are no shares", () => {
  expect(toPlanLines(plan([node(0, null), node(1, 0)])).map(({ share }) => share)).toEqual([
    undefined,
    undefined,
  ]);
});
