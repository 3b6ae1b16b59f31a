import { expect, test } from "vitest";
import { type ProcessTime, secondsBetween } from "./cpu.ts";

function time(
  threads: Readonly<Record<number, number>>,
  ticks: number,
  endedChildrenTicks = 0,
): ProcessTime {
  const entries = Object.entries(threads).map(([id, ns]): [number, number] => [Number(id), ns]);
  return { threads: new Map(entries), ticks, endedChildrenTicks };
}

test("counts nanoseconds of living threads, including threads and processes that started in between", () => {
  const before = new Map([[1, time({ 1: 5e6 }, 0)]]);
  const after = new Map([
    [1, time({ 1: 8e6, 2: 1e6 }, 0)],
    [9, time({ 9: 2e6 }, 0)],
  ]);
  expect(secondsBetween(before, after)).toBeCloseTo(0.006, 9);
});

test("counts the process ticks of ended threads", () => {
  const before = new Map([[1, time({ 1: 1e9, 2: 1e9 }, 200)]]);
  const after = new Map([[1, time({ 1: 1.1e9 }, 250)]]);
  expect(secondsBetween(before, after)).toBeCloseTo(0.5, 9);
  const shortLived = new Map([[1, time({ 1: 1.1e9, 2: 1e9 }, 250)]]);
  expect(secondsBetween(before, shortLived)).toBeCloseTo(0.5, 9);
});

test("counts an ended process by its parent, without its earlier use", () => {
  const before = new Map([
    [1, time({ 1: 0 }, 0)],
    [2, time({ 2: 30e6 }, 3)],
  ]);
  const after = new Map([[1, time({ 1: 0 }, 0, 7)]]);
  expect(secondsBetween(before, after)).toBeCloseTo(0.04, 9);
});
