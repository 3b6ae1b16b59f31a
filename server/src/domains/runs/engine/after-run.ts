import { findDeployment, planOfVersion, type StepError } from "#domains/workflows/index.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { StartEvent } from "../events.ts";
import { wakeNextQueued } from "../start/admission.ts";
import { stepMessage, type WaitAnswer } from "./journal-record.ts";
import { newRunContext, insertQueuedRun } from "../start/queued-start.ts";
import { causeOf, runActor, type RunContext } from "./run-context.ts";
import { appendMessages, type Checkpoint } from "./store.ts";

/** Starts the deployed error workflow of a failed run. */
export async function startErrorRun(
  ctx: WriteContext<StartEvent>,
  run: RunContext,
  error: unknown,
): Promise<void> {
  const { services, tx } = ctx;
  const failedVersion = await planOfVersion({ tx, services }, run.versionId);
  const workflowId = failedVersion?.definition.errorWorkflowId;
  // A failed error workflow does not start another error workflow.
  if (workflowId === undefined || run.triggerType === "error") return;
  if (run.cause.depth >= CAUSATION_DEPTH_MAX || run.test) return;
  const deployment = await findDeployment(tx, workflowId, run.environment);
  const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
  if (!deployment || deployment.orphaned || !version) return;
  const { id, workflowName } = run;
  const failedRun = { id, workflowId: run.workflowId, workflowName, versionId: run.versionId };
  const start = {
    workspace: run.workspace,
    environment: run.environment,
    version,
    triggerType: "error",
    trigger: { type: "error", input: { error, run: failedRun } },
    actor: runActor(run),
    runAs: deployment.deployedBy,
    permissions: deployment.permissions,
    cause: { ...causeOf(run), depth: run.cause.depth + 1 },
  };
  insertQueuedRun(ctx, newRunContext(services, start), undefined);
  ctx.setActor(runActor(run));
}

/** Starts the error workflow, and wakes steps that wait for the end of the run. */
export async function handleRunEnd(
  ctx: WriteContext<StartEvent>,
  run: RunContext,
  checkpoint: Checkpoint,
): Promise<void> {
  if (checkpoint.status === "failed") await startErrorRun(ctx, run, checkpoint.error);
  wakeDependents(ctx, run, checkpoint);
}

/** Resumes the step of the parent run, and wakes the next queued run. */
export function wakeDependents(
  ctx: WriteContext<never>,
  run: RunContext,
  checkpoint: Checkpoint,
): void {
  const { parent } = run;
  if (parent) {
    const message = stepMessage(parent.path, { answer: childAnswerOf(checkpoint) });
    void appendMessages(ctx, parent.runId, [message]);
  }
  wakeNextQueued(ctx, run);
}

function childAnswerOf({ status, output, error }: Checkpoint): WaitAnswer {
  return {
    kind: "child",
    // Called only when the run has ended.
    status: status as "completed" | "failed" | "cancelled",
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error: error as StepError }),
  };
}
