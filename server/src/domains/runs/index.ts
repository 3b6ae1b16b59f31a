import { NodeTypePoint } from "#domains/workflows/index.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension.ts";
import { executors } from "./engine/executor.ts";
import { runner } from "./engine/runner.ts";
import * as events from "./events.ts";
import { ownExecutors } from "./executors/own.ts";
import { getRun, listRuns, listRunsOfWorkflow } from "./operations/reading.ts";
import { triggerWorkflow } from "./operations/trigger.ts";

export { type Executor, executor, executors, StepFailure } from "./engine/executor.ts";

export const runs = domain({
  name: "runs",
  summary: "What workflows do, and did.",
  permissions: [],
  events: [
    events.RunQueued,
    events.RunStarted,
    events.RunCompleted,
    events.RunFailed,
    events.RunPaused,
    events.RunCancelled,
    events.RunRetried,
    events.RunResumed,
  ],
  operations: [triggerWorkflow, listRuns, listRunsOfWorkflow, getRun],
  engines: [runner],
  contributions: [
    contribute(executors, ...ownExecutors),
    contribute(NodeTypePoint, ...ownExecutors.map(({ type }) => type)),
  ],
});
