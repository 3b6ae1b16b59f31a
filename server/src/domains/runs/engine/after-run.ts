import { findDeployment, planOfVersion, type StepError } from "#domains/workflows/index.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { StartEvent } from "../events.ts";
import { letNextIn } from "../start/admission.ts";
import type { Answer } from "./journal-record.ts";
import { newRunContext, insertQueuedRun } from "../start/queued-start.ts";
import { runActor, type RunContext } from "./run-context.ts";
import { queueCommand, type Checkpoint } from "./store.ts";

/** The workflow that is to hear of a failure starts with it, when it is deployed here. */
export async function startErrorRun(
  ctx: WriteContext<StartEvent>,
  facts: RunContext,
  error: unknown,
): Promise<void> {
  const { services, tx } = ctx;
  const failed = await planOfVersion({ tx, services }, facts.versionId);
  const workflowId = failed?.definition.errorWorkflowId;
  // A workflow that fails to hear of a failure does not hear of that.
  if (workflowId === undefined || facts.triggerType === "error") return;
  if (facts.cause.depth >= CAUSATION_DEPTH_MAX || facts.test) return;
  const deployment = await findDeployment(tx, workflowId, facts.environment);
  const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
  if (!deployment || !version) return;
  const { id, workflowName } = facts;
  const run = { id, workflowId: facts.workflowId, workflowName, versionId: facts.versionId };
  const start = {
    workspace: facts.workspace,
    environment: facts.environment,
    version,
    triggerType: "error",
    trigger: { type: "error", input: { error, run } },
    actor: runActor(facts),
    runAs: deployment.deployedBy,
    permissions: deployment.permissions,
    cause: { ...facts.cause, depth: facts.cause.depth + 1 },
  };
  insertQueuedRun(ctx, newRunContext(services, start), undefined);
  ctx.setActor(runActor(facts));
}

/** What follows from the end of a run. */
export async function afterRunEnded(
  ctx: WriteContext<StartEvent>,
  facts: RunContext,
  turn: Checkpoint,
): Promise<void> {
  if (turn.status === "failed") await startErrorRun(ctx, facts, turn.error);
  releaseConcurrencySlot(ctx, facts, turn);
}

/** Tells those who wait for the end of a run, whoever ended it. */
export function releaseConcurrencySlot(
  ctx: WriteContext<never>,
  facts: RunContext,
  turn: Checkpoint,
): void {
  const { parent } = facts;
  if (parent) {
    const word = { path: parent.path, told: true, answer: answerOf(turn) } as const;
    void queueCommand(ctx, parent.runId, [word]);
  }
  letNextIn(ctx, facts);
}

function answerOf({ status, output, error }: Checkpoint): Answer {
  return {
    kind: "child",
    // It is called at the end of a run only.
    status: status as "completed" | "failed" | "cancelled",
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error: error as StepError }),
  };
}
