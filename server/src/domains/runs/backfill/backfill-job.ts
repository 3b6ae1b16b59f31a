import Type from "typebox";
import { BackfillId, findDeployment, planOfVersion } from "#domains/workflows/index.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { job } from "#kernel/work/job.ts";
import { startEvents } from "../events.ts";
import { queuedStart, writeRunStart } from "../start/start-run.ts";
import { nextRunId } from "../start/queued-start.ts";
import { BackfillCompleted, BackfillFailed } from "./backfill.ts";
import { type BackfillSpan, findThings, type FoundThing } from "./source.ts";
import {
  type BackfillRow,
  countActive,
  forgetEndedRuns,
  forgetRuns,
  lockBackfill,
  toBackfill,
} from "./store.ts";

const emits = [...startEvents, BackfillCompleted, BackfillFailed] as const;
type JobContext = WriteContext<(typeof emits)[number]>;

const SCANNED_MAX = 2_000;
/** How long a batch waits for the runs of the previous batch. */
const WAIT_MS = 500;

/**
 * One batch of a backfill. It starts as many runs as the limit allows and stores its position in the same
 * transaction, so each event and time starts one run even if the process is killed in between.
 */
export const backfillJob = job({
  kind: "runs.backfill",
  payload: Type.Object({ backfillId: BackfillId }),
  emits,
  attemptsMax: Number.POSITIVE_INFINITY,
  async run(ctx: JobContext, { backfillId }) {
    const row = await lockBackfill(ctx.tx, backfillId);
    if (row?.state !== "running") return;
    const span = await resolveSpan(ctx, row);
    if (typeof span === "string") return finish(ctx, row, span);
    await forgetEndedRuns(ctx.tx, backfillId);
    const room = row.max_concurrency - (await countActive(ctx.tx, backfillId));
    if (room <= 0) return planTurn(ctx, backfillId, WAIT_MS);
    const bounds = { things: room, scanned: SCANNED_MAX };
    const found = await findThings(ctx, span, row.place, bounds);
    for (const thing of found.things) await startRun(ctx, backfillId, thing);
    const next = {
      ...row,
      place: found.place,
      scanned: row.scanned + found.scanned,
      started: row.started + found.things.length,
    };
    await ctx.send("update backfills set place = $2, scanned = $3, started = $4 where id = $1", [
      backfillId,
      next.place,
      next.scanned,
      next.started,
    ]);
    if (found.isEnd) return finish(ctx, next);
    planTurn(ctx, backfillId, found.things.length === room ? WAIT_MS : 0);
  },
});

export function planTurn(ctx: WriteContext<never>, backfillId: string, delayMs = 0): void {
  const dueAt = new Date(ctx.now.getTime() + delayMs);
  ctx.enqueue(backfillJob, { backfillId }, { key: backfillId, dueAt, onConflict: "move" });
}

/** Resolves the range with the deployed version, or the reason why nothing can run. */
async function resolveSpan(
  { tx, services, caller }: JobContext,
  row: BackfillRow,
): Promise<BackfillSpan | string> {
  const deployment = await findDeployment(tx, row.workflow_id, caller.environment);
  const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
  if (!deployment || !version) return "The workflow is no longer deployed.";
  if (deployment.orphaned) return "The member who deployed the workflow is no longer active.";
  return {
    version,
    deployment,
    triggerId: row.trigger_id,
    triggerType: row.trigger_type,
    from: row.begins_at,
    to: row.ends_at,
    filter: row.filter as Condition | null,
    ...(row.since !== null &&
      row.since_epoch !== null && {
        until: { epoch: row.since_epoch, snapshot: row.since },
      }),
    ofActivation: row.of_activation,
    starter: { runAs: row.created_by },
  };
}

async function startRun(ctx: JobContext, backfillId: string, found: FoundThing): Promise<void> {
  const id = nextRunId(ctx.now.getTime());
  // Each run continues the causal chain of its event.
  ctx.setActor(found.start.actor, found.start.cause);
  await writeRunStart(ctx, queuedStart(ctx.services, { ...found.start, id }));
  ctx.flush();
  await ctx.send("insert into backfill_runs (backfill_id, thing, run_id) values ($1, $2, $3)", [
    backfillId,
    found.thing,
    id,
  ]);
}

async function finish(ctx: JobContext, row: BackfillRow, reason?: string): Promise<void> {
  const state = reason === undefined ? "completed" : "failed";
  const finishedAt = ctx.now;
  await ctx.send("update backfills set state = $2, reason = $3, finished_at = $4 where id = $1", [
    row.id,
    state,
    reason ?? null,
    finishedAt,
  ]);
  await forgetRuns(ctx.tx, row.id);
  const { cause } = ctx.caller;
  ctx.setActor(SYSTEM_ACTOR, cause);
  const data = toBackfill({
    ...row,
    state,
    reason: reason ?? null,
    finished_at: finishedAt.toISOString(),
  });
  if (reason === undefined) ctx.emit(BackfillCompleted, { id: row.id }, data);
  else ctx.emit(BackfillFailed, { id: row.id }, data);
}
