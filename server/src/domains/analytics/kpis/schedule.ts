import { findRights } from "#domains/identity/accounts/index.ts";
/** Scheduled snapshots of KPIs: one per due time, on any number of nodes. */
import Type from "typebox";
import { checkSchedule, nextCronTime } from "#domains/workflows/index.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { assertNoErrors, type FieldError } from "#kernel/operation/failure.ts";
import { job } from "#kernel/work/job.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { id, line, Time } from "#kernel/schema/schema.ts";
import { callerRunningAs } from "../run-as.ts";
import { KpiSnapshotTaken, KpiThresholdCrossed } from "./kpi.ts";
import type { Kpi } from "./kpi.ts";
import { takeMeasurement } from "./measure.ts";
import { noteDue } from "./snapshot-store.ts";
import { kpiStore } from "./store.ts";
import { saveSnapshot } from "./snapshot-store.ts";

const RETRY_DELAY_MAX_MS = 60_000;
const FIELDS = 5;

type Schedule = Kpi["schedule"];

/** Throws if the cron expression does not have five fields, or the time zone is unknown. */
export function assertSchedule(schedule: Schedule): void {
  const errors: FieldError[] = checkSchedule(schedule).map(({ path, message }) => ({
    path: `/schedule${path}`,
    message,
  }));
  if (schedule.cron.trim().split(/\s+/).length !== FIELDS) {
    errors.push({ path: "/schedule/cron", message: "must have five fields" });
  }
  assertNoErrors(errors);
}

/** The first scheduled time after another. */
export function nextTime({ cron, timezone = "UTC" }: Schedule, after: Date): Date | null {
  return nextCronTime({ cron, timezone }, after);
}

/** Schedules the job for the next time, and replaces a scheduled one. */
export async function scheduleNext(
  ctx: WriteContext<never>,
  { id: kpiId, schedule }: Pick<Kpi, "id" | "schedule">,
  after: Date,
): Promise<void> {
  const dueAt = nextTime(schedule, after);
  await noteDue(ctx.tx, kpiId, dueAt);
  if (!dueAt) return;
  const { cron, timezone = "UTC" } = schedule;
  const due = {
    ...partitionOfCaller(ctx.caller),
    kpiId,
    cron,
    timezone,
    dueAt: dueAt.toISOString(),
  };
  ctx.enqueue(scheduledSnapshotJob, due, { key: kpiId, dueAt, onConflict: "move" });
}

/**
 * One scheduled time of one KPI. The snapshot and the next job are written in the transaction that completes the
 * job. Times that passed while no node was running become one late job: it takes one snapshot for its own time, and
 * continues from now; a backfill adds the others.
 */
export const scheduledSnapshotJob = job({
  kind: "analytics.kpi",
  payload: Type.Object({
    workspace: Type.String(),
    environment: Type.Enum(["production", "staging", "development"]),
    kpiId: id("kpi"),
    cron: line(200),
    timezone: line(100),
    dueAt: Time,
  }),
  emits: [KpiSnapshotTaken, KpiThresholdCrossed],
  // A job that gave up would end the schedule for good.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  timeoutMs: 60_000,
  concurrency: 4,
  async effect(platform, { kpiId, dueAt, ...partition }) {
    const kpi = await platform.db.read(partition, (tx) => kpiStore.find(tx, kpiId));
    if (!kpi) return undefined;
    const cause = { correlationId: newCorrelationId(platform.clock), depth: 1 };
    // Snapshots are not taken after the KPI's owner has left.
    if (!(await findRights(platform, partition.workspace, kpi))) return undefined;
    const caller = await callerRunningAs(platform, kpi, { partition, cause });
    const snapshot = await takeMeasurement({ platform, caller }, kpi, new Date(dueAt));
    return { snapshot, cause, revision: kpi.revision };
  },
  async run(ctx, { kpiId, cron, timezone, dueAt }, taken) {
    const [kpi] = await kpiStore.select(ctx.tx, "id = $1 for update", [kpiId]);
    if (!kpi) return;
    const { schedule } = kpi;
    // A change just now may have set other times than this one.
    const isSame = schedule.cron === cron && (schedule.timezone ?? "UTC") === timezone;
    if (isSame && taken) {
      // The KPI was changed during the measurement, so it is repeated.
      if (taken.revision !== kpi.revision)
        return scheduleNext(ctx, kpi, new Date(Date.parse(dueAt) - 1));
      ctx.setActor(SYSTEM_ACTOR, taken.cause);
      await saveSnapshot(ctx, kpi, taken.snapshot);
    }
    const after = new Date(Math.max(ctx.now.getTime(), Date.parse(dueAt)));
    await scheduleNext(ctx, kpi, after);
  },
});
