import { findDeployment, planOf, type StepError } from "#domains/workflows/index.ts";
import { DEPTH_MAX } from "#kernel/log/event.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import type { StartEvent } from "../events.ts";
import { letNextIn } from "./admission.ts";
import type { Answer } from "./journal-record.ts";
import { newFacts, writePlain } from "./queued-start.ts";
import { actorOf, type RunFacts } from "./run-context.ts";
import { leaveWord, type Turn } from "./store.ts";

/** The workflow that is to hear of a failure starts with it, when it is deployed here. */
export async function startErrorRun(
  ctx: WriteContext<StartEvent>,
  facts: RunFacts,
  error: unknown,
): Promise<void> {
  const { services, tx } = ctx;
  const failed = await planOf({ tx, services }, facts.versionId);
  const workflowId = failed?.definition.errorWorkflowId;
  // A workflow that fails to hear of a failure does not hear of that.
  if (workflowId === undefined || facts.triggerType === "error") return;
  if (facts.cause.depth >= DEPTH_MAX || facts.test) return;
  const deployment = await findDeployment(tx, workflowId, facts.environment);
  const version = deployment && (await planOf({ tx, services }, deployment.versionId));
  if (!deployment || !version) return;
  const { id, workflowName } = facts;
  const run = { id, workflowId: facts.workflowId, workflowName, versionId: facts.versionId };
  const start = {
    workspace: facts.workspace,
    environment: facts.environment,
    version,
    triggerType: "error",
    trigger: { type: "error", input: { error, run } },
    actor: actorOf(facts),
    runAs: deployment.deployedBy,
    permissions: deployment.permissions,
    cause: { ...facts.cause, depth: facts.cause.depth + 1 },
  };
  writePlain(ctx, newFacts(services, start), undefined);
  ctx.actAs(actorOf(facts));
}

/** What follows from the end of a run. */
export async function followUp(
  ctx: WriteContext<StartEvent>,
  facts: RunFacts,
  turn: Turn,
): Promise<void> {
  if (turn.status === "failed") await startErrorRun(ctx, facts, turn.error);
  release(ctx, facts, turn);
}

/** Tells those who wait for the end of a run, whoever ended it. */
export function release(ctx: WriteContext<never>, facts: RunFacts, turn: Turn): void {
  const { parent } = facts;
  if (parent) {
    const word = { path: parent.path, told: true, answer: answerOf(turn) } as const;
    void leaveWord(ctx, parent.runId, [word]);
  }
  letNextIn(ctx, facts);
}

function answerOf({ status, output, error }: Turn): Answer {
  return {
    kind: "child",
    // It is called at the end of a run only.
    status: status as "completed" | "failed" | "cancelled",
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error: error as StepError }),
  };
}
