import { expect, test } from "vitest";
import { barHeights, SPARK_RUNS, summariseRuns } from "./recent-runs.ts";

const run = (n: number) => ({
  id: `run_${n}`,
  status: "completed",
  createdAt: "2026-11-16T12:00:00.000Z",
  durationMs: n * 100,
});

test("draws the latest runs oldest first and limits the number", () => {
  const recent = [3, 2, 1].map(run);
  const summaries = summariseRuns([
    { id: "a", activity: { recent, lastDay: { failed: 2 } } },
    { id: "b" },
    {
      id: "c",
      activity: { recent: Array.from({ length: 20 }, (_, n) => run(n)), lastDay: { failed: 0 } },
    },
  ]);
  expect(summaries.get("a")).toMatchObject({
    failures: 2,
    last: [{ id: "run_1" }, {}, { id: "run_3" }],
  });
  expect(summaries.get("b")).toBeUndefined();
  expect(summaries.get("c")?.last).toHaveLength(SPARK_RUNS);
});

test("bars stay visible and inside the chart", () => {
  const heights = barHeights([run(0), run(900)]);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(0.3);
  expect(Math.max(...heights)).toBe(1);
});
