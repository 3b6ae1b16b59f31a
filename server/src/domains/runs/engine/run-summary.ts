import type { RunContext } from "./run-context.ts";
import { isOver, type Checkpoint } from "./store.ts";

/** The reference to a run in event envelopes. */
export function runRef({ id, workflowName }: RunContext) {
  return { id, displayName: workflowName };
}

/** A run in event data. The output is omitted because only readers of the run may see it. */
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
