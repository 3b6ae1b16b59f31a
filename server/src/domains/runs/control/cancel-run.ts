import Type from "typebox";
import { planOfVersion } from "#domains/workflows/index.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { job } from "#kernel/work/job.ts";
import type { JobType, WriteContext } from "#kernel/contract.ts";
import { runContextOf } from "../start/queued-start.ts";
import { isOver, type RunRow } from "../engine/store.ts";
import { deleteWaits } from "../engine/waits.ts";
import { releaseConcurrencySlot } from "../engine/after-run.ts";
import { runRef, summaryOf } from "../engine/run-summary.ts";
import { RunCancelled } from "../events.ts";
import { RunOver } from "../run.ts";
import { lock, lockAll } from "../store.ts";

type Cancelling = WriteContext<typeof RunCancelled>;

/** How many runs one transaction cancels at most. */
const BATCH_RUNS_MAX = 500;

const CANCEL = `
  update runs set status = 'cancelled', due_at = null, finished_at = $2
   where id = $1 and status not in ('completed', 'failed', 'cancelled')`;
const CHILDREN = `
  select id from runs
   where parent_run_id = any($1::text[]) and status in ('queued', 'running', 'waiting', 'paused')
   order by id limit $2`;

/** Ends a run at once, and the runs that its steps wait for. Who carries it on hears of it and stops. */
export async function cancelRunTree(ctx: Cancelling, runId: string): Promise<void> {
  const row = await lock(ctx.tx, runId);
  if (isOver(row.status)) throw new Failure(RunOver, { detail: `Its status is ${row.status}.` });
  await end(ctx, row);
  await cancelChildRuns(ctx, [runId]);
}

const Payload = Type.Object({ parents: Type.Array(Type.String()) });

/** Cancels the children that were too many for one transaction. */
export const cancelRemaining: JobType<typeof Payload> = job({
  kind: "runs.cancel_children",
  payload: Payload,
  emits: [RunCancelled],
  run: (ctx, { parents }) => cancelChildRuns(ctx, parents),
});

/** Ends the runs that the steps of these wait for. Level by level; chains are short, since they are cut at a depth. */
export async function cancelChildRuns(ctx: Cancelling, of: readonly string[]): Promise<void> {
  let parents = of;
  let room = BATCH_RUNS_MAX;
  while (parents.length > 0) {
    const found = await ctx.send<{ id: string }>(CHILDREN, [parents, room + 1]);
    const rows = await lockAll(
      ctx.tx,
      found.slice(0, room).map(({ id }) => id),
    );
    const going = rows.filter(({ status }) => !isOver(status));
    for (const row of going) await end(ctx, row);
    const children = going.map(({ id }) => id);
    room -= children.length;
    if (found.length > children.length && room <= 0) {
      return ctx.enqueue(cancelRemaining, { parents: [...parents, ...children] });
    }
    parents = children;
  }
}

async function end(ctx: Cancelling, row: RunRow): Promise<void> {
  const { tx, services, now } = ctx;
  const version = await planOfVersion({ tx, services }, row.version_id);
  if (!version) throw new Error("A run that is not over keeps its version.");
  const facts = runContextOf(row, version);
  const turn = { status: "cancelled", dueAt: null, records: [] } as const;
  void ctx.send(CANCEL, [row.id, now]);
  deleteWaits(ctx, row.id);
  ctx.emit(RunCancelled, runRef(facts), summaryOf(facts, turn, now));
  releaseConcurrencySlot(ctx, facts, turn);
}
