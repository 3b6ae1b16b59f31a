import { expect, test } from "vitest";
import { groupFailures } from "./failures.ts";

const run = (id: string, workflowId: string) => ({
  id,
  workflowId,
  workflowName: `Workflow ${workflowId}`,
  error: { message: `${id} broke` },
  createdAt: "2026-11-16T12:00:00.000Z",
});

test("failures are grouped by workflow, with the newest run and the number of failures", () => {
  const failures = groupFailures([run("run_3", "a"), run("run_2", "b"), run("run_1", "a")]);
  expect(failures).toMatchObject([
    { workflowId: "a", runId: "run_3", message: "run_3 broke", times: 2 },
    { workflowId: "b", runId: "run_2", times: 1 },
  ]);
});
