import { expect, test } from "vitest";
import { groupRuns, toValueText } from "./rehearsal-groups.ts";

const run = (runId: string, verdict: string, stepId: string | null): any => ({
  runId,
  verdict,
  difference: verdict === "same" ? null : { stepId, name: stepId && `Step ${stepId}` },
});

test("runs with the same difference form one group, and the worst group is first", () => {
  const groups = groupRuns([
    run("r4", "other_output", "sum"),
    run("r3", "would_fail", "sum"),
    run("r2", "same", null),
    run("r1", "other_output", "sum"),
    run("r0", "other_output", null),
  ]);
  expect(
    groups.map(({ verdict, name, count, example }) => [verdict, name, count, example.runId]),
  ).toEqual([
    ["would_fail", "Step sum", 1, "r3"],
    ["other_output", "Step sum", 2, "r4"],
    ["other_output", "Output of the run", 1, "r0"],
  ]);
});

test("shows a value as a single short line and a failure as an error message", () => {
  expect(toValueText({ status: "failed", error: { code: "x", message: "No number." } })).toBe(
    "No number.",
  );
  expect(["true", null, { a: 1 }, "x".repeat(90)].map(toValueText)).toEqual([
    "true",
    "empty",
    '{"a":1}',
    `${"x".repeat(80)}…`,
  ]);
});
