import { expect, test } from "vitest";
import { toToolAnswer } from "./workflow-tools.ts";

const answer = (data: object) => toToolAnswer({ status: 202, value: { data } });

test("a completed run returns its output or error, a running one its id, and a rejected call its failure", () => {
  const runId = "run_1";
  expect(answer({ runId, status: "completed", output: 42 })).toEqual({
    status: 200,
    value: { runId, status: "completed", output: 42 },
  });
  const error = { code: "step_failed" };
  for (const status of ["failed", "cancelled"])
    expect(answer({ runId, status, error })).toEqual({
      status: 500,
      value: { runId, status, error },
    });
  for (const status of ["queued", "running", "waiting", "paused"])
    expect(answer({ runId, status })).toMatchObject({
      status: 202,
      value: { runId, status, message: expect.stringContaining("get_run") },
    });
  const refusal = { status: 422, value: { code: "validation_failed" } };
  expect(toToolAnswer(refusal)).toBe(refusal);
});
