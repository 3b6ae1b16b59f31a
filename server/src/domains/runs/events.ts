import Type from "typebox";
import { event } from "#kernel/event.ts";
import { id, Time } from "#kernel/schema.ts";

/** A run as events tell of it; what it computed is for those who may read the run. */
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

const about = (summary: string) => ({ resource: "run", summary, data: RunSummary });

export const RunStarted = event("workflow.run_started", about("A run was started."));
export const RunCompleted = event("workflow.run_completed", about("A run completed."));
export const RunFailed = event("workflow.run_failed", about("A run failed."));
export const RunPaused = event("workflow.run_paused", about("A run waits for an approval."));
export const RunCancelled = event("workflow.run_cancelled", about("A run was cancelled."));
export const RunRetried = event("workflow.run_retried", about("A run that was over goes on."));
export const RunResumed = event(
  "workflow.run_resumed",
  about("Somebody approved or rejected what a run waits for."),
);
