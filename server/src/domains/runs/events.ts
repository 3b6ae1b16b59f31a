import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { id, Time } from "#kernel/schema/schema.ts";

/** A run in event data. The output is omitted because only readers of the run may see it. */
export const RunSummary = Type.Object({
  id: id("run"),
  workflowId: id("wf"),
  workflowName: Type.String(),
  versionId: id("wfv"),
  trigger: Type.String(),
  status: Type.String(),
  createdAt: Time,
  finishedAt: Type.Optional(Time),
  error: Type.Optional(
    Type.Object({
      code: Type.String(),
      message: Type.String(),
      path: Type.Optional(Type.String()),
    }),
  ),
});

const runEvent = (summary: string) => ({ resource: "run", summary, data: RunSummary });

export const RunQueued = event(
  "workflow.run_queued",
  runEvent("A run was queued because of the concurrency limit of its workflow."),
);
export const RunStarted = event("workflow.run_started", runEvent("A run was started."));
export const RunCompleted = event("workflow.run_completed", runEvent("A run completed."));
export const RunFailed = event("workflow.run_failed", runEvent("A run failed."));
export const RunPaused = event(
  "workflow.run_paused",
  runEvent("A run is waiting for an approval."),
);
export const RunCancelled = event("workflow.run_cancelled", runEvent("A run was cancelled."));
export const RunRetried = event("workflow.run_retried", {
  resource: "run",
  summary: "A run was retried.",
  data: Type.Object({
    ...RunSummary.properties,
    inputReplaced: Type.Optional(
      Type.Boolean({ description: "True if it started with another input" }),
    ),
  }),
});
export const RunResumed = event("workflow.run_resumed", {
  resource: "run",
  summary: "An approver decided on an approval of a run.",
  data: Type.Object({
    ...RunSummary.properties,
    stepId: Type.String(),
    approved: Type.Boolean(),
  }),
});
export const RunCalled = event("workflow.run_called", {
  resource: "run",
  summary: "A waiting step received its request.",
  data: Type.Object({
    ...RunSummary.properties,
    stepId: Type.String(),
    early: Type.Boolean({ description: "True if the step had not started yet" }),
  }),
});
export const RunTested = event(
  "workflow.run_tested",
  runEvent("A dry run of a workflow was started. It has no effects outside the run."),
);

export const BulkRetryRequested = event("workflow.bulk_retry_requested", {
  resource: "workflow",
  summary: "A bulk retry of runs was requested. `count` is the number of runs.",
  data: Type.Object({
    workflowId: Type.Optional(id("wf")),
    status: Type.String(),
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
    count: Type.Integer(),
  }),
});

export const BulkCancelRequested = event("workflow.bulk_cancel_requested", {
  resource: "workflow",
  summary: "A bulk cancellation of runs was requested. `count` is the number of runs.",
  data: Type.Object({
    workflowId: Type.Optional(id("wf")),
    status: Type.Optional(Type.String()),
    from: Type.Optional(Type.String()),
    to: Type.Optional(Type.String()),
    count: Type.Integer(),
  }),
});

export const PinnedDataSet = event("workflow.pinned_data_set", {
  resource: "workflow",
  summary: "The pinned data of a workflow was changed. `nodes` contains the affected nodes.",
  data: Type.Object({ workflowId: id("wf"), nodes: Type.Array(Type.String()) }),
});

export const ChainCut = event("workflow.chain_cut", {
  resource: "workflow",
  summary:
    "A chain of automations reached the limit of runs of a workflow. This event is appended once per chain.",
  data: Type.Object({
    workflowId: id("wf"),
    workflowName: Type.String(),
    correlationId: Type.String(),
    runsMax: Type.Integer({ description: "Maximum number of runs per cause and day" }),
  }),
});

/** Events for starting a run, including those for an end that starts another run. */
export const startEvents = [RunQueued, RunStarted, RunCompleted, RunFailed, RunPaused] as const;
export type StartEvent = (typeof startEvents)[number];
