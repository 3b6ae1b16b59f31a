import Type from "typebox";
import { planOfVersion } from "#domains/workflows/index.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { JobType, WriteContext } from "#kernel/contract.ts";
import { job } from "#kernel/work/job.ts";
import { toRunContext } from "../start/queued-start.ts";
import { isOver, type RunRow } from "../engine/store.ts";
import { deleteWaits } from "../engine/waits.ts";
import { wakeDependents } from "../engine/after-run.ts";
import { runRef, toRunSummary } from "../engine/run-summary.ts";
import { RunCancelled } from "../events.ts";
import { RunOver } from "../run.ts";
import { lock, lockAll } from "../store.ts";

type CancelContext = WriteContext<typeof RunCancelled>;

/** Maximum number of runs cancelled in one transaction. */
const BATCH_RUNS_MAX = 500;

const CANCEL = `
  update runs set status = 'cancelled', due_at = null, finished_at = $2
   where id = $1 and status not in ('completed', 'failed', 'cancelled')`;
const FIND_CHILDREN = `
  select id from runs
   where parent_run_id = any($1::text[]) and status in ('queued', 'running', 'waiting', 'paused')
   order by id limit $2`;

/** Cancels a run and its child runs. The node that executes it is notified and stops. */
export async function cancelRunTree(ctx: CancelContext, runId: string): Promise<void> {
  const row = await lock(ctx.tx, runId);
  if (isOver(row.status))
    throw new Failure(RunOver, { detail: `The status of the run is ${row.status}.` });
  await cancelLockedRun(ctx, row);
  await cancelChildRuns(ctx, [runId]);
}

const FIND_RUNS_OF_STEPS = `
  select id from runs
   where parent_run_id = $1 and parent_path = any($2::text[])
     and status in ('queued', 'running', 'waiting', 'paused')
   order by id limit $3`;

/** Cancels the runs that these steps of a run wait for. */
export async function cancelRunsOfSteps(
  ctx: CancelContext,
  runId: string,
  paths: readonly string[],
): Promise<void> {
  const found = await ctx.send<{ id: string }>(FIND_RUNS_OF_STEPS, [runId, paths, BATCH_RUNS_MAX]);
  const rows = await lockAll(
    ctx.tx,
    found.map(({ id }) => id),
  );
  const unfinished = rows.filter(({ status }) => !isOver(status));
  for (const row of unfinished) await cancelLockedRun(ctx, row);
  await cancelChildRuns(
    ctx,
    unfinished.map(({ id }) => id),
  );
}

const CancelPayload = Type.Object({ parents: Type.Array(Type.String()) });

/** Cancels the child runs that exceed the limit of one transaction. */
export const cancelChildrenJob: JobType<typeof CancelPayload> = job({
  kind: "runs.cancel_children",
  payload: CancelPayload,
  emits: [RunCancelled],
  run: (ctx, { parents }) => cancelChildRuns(ctx, parents),
});

/** Cancels the child runs of these runs level by level. The depth of causal chains is limited. */
export async function cancelChildRuns(
  ctx: CancelContext,
  parentIds: readonly string[],
): Promise<void> {
  let parents = parentIds;
  let budget = BATCH_RUNS_MAX;
  while (parents.length > 0) {
    const found = await ctx.send<{ id: string }>(FIND_CHILDREN, [parents, budget + 1]);
    const rows = await lockAll(
      ctx.tx,
      found.slice(0, budget).map(({ id }) => id),
    );
    const unfinished = rows.filter(({ status }) => !isOver(status));
    for (const row of unfinished) await cancelLockedRun(ctx, row);
    const children = unfinished.map(({ id }) => id);
    budget -= children.length;
    if (found.length > children.length && budget <= 0) {
      return ctx.enqueue(cancelChildrenJob, { parents: [...parents, ...children] });
    }
    parents = children;
  }
}

async function cancelLockedRun(ctx: CancelContext, row: RunRow): Promise<void> {
  const { tx, services, now } = ctx;
  const version = await planOfVersion({ tx, services }, row.version_id);
  if (!version) throw new Error("A run that is not over keeps its version.");
  const run = toRunContext(row, version);
  const checkpoint = { status: "cancelled", dueAt: null, records: [] } as const;
  void ctx.send(CANCEL, [row.id, now]);
  deleteWaits(ctx, row.id);
  ctx.emit(RunCancelled, runRef(run), toRunSummary(run, checkpoint, now));
  wakeDependents(ctx, run, checkpoint);
}
