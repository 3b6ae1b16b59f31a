import type { RunContext } from "./run-context.ts";
import { isOver, type Checkpoint } from "./store.ts";

/** A run as the envelopes of its events name it. */
export function runRef({ id, workflowName }: RunContext) {
  return { id, displayName: workflowName };
}

/** A run in the data of its events, without its output, which is for readers of the run. */
export function toRunSummary(
  run: RunContext,
  checkpoint: Pick<Checkpoint, "status" | "error">,
  now: Date,
) {
  const { id, workflowId, workflowName, versionId, triggerType, createdAt } = run;
  const { code, message, path } = (checkpoint.error ?? {}) as {
    [name: string]: string | undefined;
  };
  return {
    id,
    workflowId,
    workflowName,
    versionId,
    trigger: triggerType,
    status: checkpoint.status,
    createdAt,
    ...(isOver(checkpoint.status) && { finishedAt: now.toISOString() }),
    ...(code !== undefined && {
      error: { code, message: message ?? "", ...(path !== undefined && { path }) },
    }),
  };
}
