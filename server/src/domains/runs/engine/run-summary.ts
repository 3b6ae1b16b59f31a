import type { RunContext } from "./run-context.ts";
import { isOver, type Checkpoint } from "./store.ts";

/** What an event's envelope says of a run. */
export function runRef({ id, workflowName }: RunContext) {
  return { id, displayName: workflowName };
}

/** A run as its events tell of it. What it computed is for those who may read the run. */
export function summaryOf(
  facts: RunContext,
  turn: Pick<Checkpoint, "status" | "error">,
  now: Date,
) {
  const { id, workflowId, workflowName, versionId, triggerType, createdAt } = facts;
  const { code, message, path } = (turn.error ?? {}) as { [name: string]: string | undefined };
  return {
    id,
    workflowId,
    workflowName,
    versionId,
    trigger: triggerType,
    status: turn.status,
    createdAt,
    ...(isOver(turn.status) && { finishedAt: now.toISOString() }),
    ...(code !== undefined && {
      error: { code, message: message ?? "", ...(path !== undefined && { path }) },
    }),
  };
}
