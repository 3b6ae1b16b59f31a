import Type, { type Static } from "typebox";
import type { JobType, WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { ActorSchema } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { job } from "#kernel/work/job.ts";
import { BulkCancelRequested, RunCancelled } from "../events.ts";
import { listIds } from "../store.ts";
import { cancelRunTree } from "./cancel-run.ts";

const BATCH_RUNS = 50;

export const UNFINISHED = ["queued", "running", "waiting", "paused"] as const;

/** Selects the runs to cancel. */
export interface CancelFilter {
  readonly workflowId?: string;
  readonly status?: (typeof UNFINISHED)[number];
  readonly from?: string;
  readonly to?: string;
  readonly runIds?: readonly string[];
}

/** The ids of the unfinished runs that a filter selects, oldest first; tests are left out. */
export function selectCancels(tx: Tx, filter: CancelFilter, limit: number): Promise<string[]> {
  const { status, runIds, ...rest } = filter;
  const statuses = status === undefined ? UNFINISHED : [status];
  return listIds(tx, { ...rest, ids: runIds, statuses, limit });
}

/** Selects the runs now and lets a job cancel them. Returns the number of runs. */
export async function requestCancels(
  ctx: WriteContext<typeof BulkCancelRequested>,
  filter: CancelFilter,
  limit: number,
): Promise<number> {
  const ids = await selectCancels(ctx.tx, filter, limit);
  if (ids.length === 0) return 0;
  const { runIds: _, ...data } = filter;
  const resource = { id: filter.workflowId ?? "workflows" };
  ctx.emit(BulkCancelRequested, resource, { ...data, count: ids.length });
  ctx.enqueue(bulkCancelJob, { ids, actor: ctx.caller.actor });
  return ids.length;
}

const CancelPayload = Type.Object({ ids: Type.Array(Type.String()), actor: ActorSchema });

/** Cancels a batch of runs, and enqueues the next batch. */
export const bulkCancelJob: JobType<typeof CancelPayload> = job({
  kind: "runs.cancel",
  payload: CancelPayload,
  emits: [RunCancelled],
  async run(ctx, { ids, actor }: Static<typeof CancelPayload>) {
    ctx.setActor(actor);
    for (const id of ids.slice(0, BATCH_RUNS)) {
      try {
        await cancelRunTree(ctx, id);
      } catch (error) {
        // The run ended or was deleted in the meantime, for example together with its parent run.
        if (!(error instanceof Failure)) throw error;
      }
    }
    const rest = ids.slice(BATCH_RUNS);
    if (rest.length > 0) ctx.enqueue(bulkCancelJob, { ids: rest, actor });
  },
});
