import { expect, test } from "vitest";
import { layOutWaterfall } from "./waterfall.ts";

const at = (ms: number): string => new Date(1_000_000 + ms).toISOString();
const step = (id: string, from: number | null, to: number | null, status = "completed") =>
  ({
    id,
    status,
    startedAt: from === null ? null : at(from),
    finishedAt: to === null ? null : at(to),
  }) as never;
const run = (steps: readonly never[], finished: number | null) =>
  ({
    createdAt: at(0),
    startedAt: at(0),
    finishedAt: finished === null ? null : at(finished),
    trace: { steps, total: steps.length, truncated: false },
  }) as never;

test("steps stand where they were in time, and what was skipped is left out", () => {
  const steps = [step("a", 0, 50), step("b", 50, 200), step("c", null, null, "skipped")];
  const { lengthMs, bars } = layOutWaterfall(run(steps, 200), 0);
  expect(lengthMs).toBe(200);
  expect(bars.map(({ from, to }) => [from, to])).toEqual([
    [0, 0.25],
    [0.25, 1],
  ]);
});

test("what still runs reaches to the present", () => {
  const { lengthMs, bars } = layOutWaterfall(
    run([step("a", 100, null, "running")], null),
    1_000_400,
  );
  expect([lengthMs, bars[0]?.from, bars[0]?.to]).toEqual([400, 0.25, 1]);
});
