import { expect, test } from "vitest";
import { barHeights, SPARK_RUNS, summariseRuns } from "./recent-runs.ts";

const NOW = Date.parse("2026-11-16T12:00:00Z");
const run = (id: number, status: string, hoursAgo: number, workflowId = "a") => ({
  id: `run_${id}`,
  workflowId,
  status,
  createdAt: new Date(NOW - hoursAgo * 3_600_000).toISOString(),
  durationMs: id * 100,
});

test("the last runs are drawn oldest first, and failures count for a day", () => {
  const summaries = summariseRuns(
    [run(3, "failed", 1), run(2, "completed", 2, "b"), run(1, "failed", 30)],
    NOW,
  );
  expect(summaries.get("a")).toMatchObject({
    failures: 1,
    last: [{ id: "run_1" }, { id: "run_3" }],
  });
  expect(summaries.get("b")?.failures).toBe(0);
  const many = Array.from({ length: 40 }, (_, n) => run(n, "completed", n));
  expect(summariseRuns(many, NOW).get("a")?.last).toHaveLength(SPARK_RUNS);
});

test("bars stay visible and within their box", () => {
  const heights = barHeights([run(0, "completed", 1), run(900, "completed", 1)]);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(0.3);
  expect(Math.max(...heights)).toBe(1);
});
