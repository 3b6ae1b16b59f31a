import Type, { type Static } from "typebox";
import { ActorSchema } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { job } from "#kernel/work/job.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { JobType, WriteContext } from "#kernel/contract.ts";
import { isOver } from "../engine/store.ts";
import { BulkRetryRequested, RunRetried } from "../events.ts";
import { restartRun } from "./retry-run.ts";
import { listIds, lockAll } from "../store.ts";

const BATCH_RUNS = 50;

/** Selects the runs to retry. */
export interface RetryFilter {
  readonly workflowId?: string;
  readonly status?: "failed" | "cancelled";
  readonly from?: string;
  readonly to?: string;
  readonly error?: string;
  readonly runIds?: readonly string[];
}

/** Selects the runs now and lets a job retry them. Returns the number of runs. */
export async function requestRetries(
  ctx: WriteContext<typeof BulkRetryRequested>,
  filter: RetryFilter,
  limit: number,
): Promise<number> {
  const { status = "failed" } = filter;
  const ids = await selectRetries(ctx.tx, filter, limit);
  if (ids.length === 0) return 0;
  const { workflowId = "workflows", runIds: _, error: __, ...rest } = filter;
  const data = { ...rest, ...(filter.workflowId !== undefined && { workflowId }) };
  ctx.emit(BulkRetryRequested, { id: workflowId }, { ...data, status, count: ids.length });
  ctx.enqueue(bulkRetryJob, { ids, actor: ctx.caller.actor });
  return ids.length;
}

/** The ids of the selected runs, oldest first. */
export function selectRetries(tx: Tx, filter: RetryFilter, limit: number): Promise<string[]> {
  const { status = "failed", runIds, ...rest } = filter;
  return listIds(tx, { ...rest, ids: runIds, statuses: [status], limit });
}

const RetryPayload = Type.Object({ ids: Type.Array(Type.String()), actor: ActorSchema });

/** Retries a batch of runs from where they failed, and enqueues the next batch. */
export const bulkRetryJob: JobType<typeof RetryPayload> = job({
  kind: "runs.retry",
  payload: RetryPayload,
  emits: [RunRetried],
  async run(ctx, { ids, actor }: Static<typeof RetryPayload>) {
    ctx.setActor(actor);
    for (const row of await lockAll(ctx.tx, ids.slice(0, BATCH_RUNS))) {
      // Another request may have retried the run in the meantime.
      if (!isOver(row.status) || row.status === "completed") continue;
      try {
        await restartRun(ctx, row, { from: "failed", version: "same" });
      } catch (error) {
        // A run with a deleted version is skipped; the others are retried.
        if (!(error instanceof Failure)) throw error;
      }
    }
    const rest = ids.slice(BATCH_RUNS);
    if (rest.length > 0) ctx.enqueue(bulkRetryJob, { ids: rest, actor });
  },
});
