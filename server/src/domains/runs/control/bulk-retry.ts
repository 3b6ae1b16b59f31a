import Type, { type Static } from "typebox";
import { ActorSchema } from "#kernel/log/event.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { job } from "#kernel/work/job.ts";
import type { JobType, WriteContext } from "#kernel/contract.ts";
import { isOver } from "../engine/store.ts";
import { BulkRetryRequested, RunRetried } from "../events.ts";
import { restartRun } from "./retry-run.ts";
import { listIds, lockAll } from "../store.ts";

const BATCH_RUNS = 50;

/** Which runs are to go on. */
export interface Filter {
  readonly workflowId?: string;
  readonly status?: "failed" | "cancelled";
  readonly from?: string;
  readonly to?: string;
}

/** Chooses the runs now, and leaves the rest to a job: how many there are. */
export async function requestRetries(
  ctx: WriteContext<typeof BulkRetryRequested>,
  filter: Filter,
  limit: number,
): Promise<number> {
  const { status = "failed" } = filter;
  const ids = await listIds(ctx.tx, { ...filter, status, limit });
  if (ids.length === 0) return 0;
  const { workflowId = "workflows" } = filter;
  ctx.emit(BulkRetryRequested, { id: workflowId }, { ...filter, status, count: ids.length });
  ctx.enqueue(retryBatch, { ids, actor: ctx.caller.actor });
  return ids.length;
}

const Payload = Type.Object({ ids: Type.Array(Type.String()), actor: ActorSchema });

/** Retries the first few of them from where they failed; each batch is a job of its own. */
export const retryBatch: JobType<typeof Payload> = job({
  kind: "runs.retry",
  payload: Payload,
  emits: [RunRetried],
  async run(ctx, { ids, actor }: Static<typeof Payload>) {
    ctx.setActor(actor);
    for (const row of await lockAll(ctx.tx, ids.slice(0, BATCH_RUNS))) {
      // Somebody may have retried it meanwhile.
      if (!isOver(row.status) || row.status === "completed") continue;
      try {
        await restartRun(ctx, row, { from: "failed", version: "same" });
      } catch (error) {
        // One whose version is gone stays as it is, and is no reason to leave out the others.
        if (!(error instanceof Failure)) throw error;
      }
    }
    const rest = ids.slice(BATCH_RUNS);
    if (rest.length > 0) ctx.enqueue(retryBatch, { ids: rest, actor });
  },
});
