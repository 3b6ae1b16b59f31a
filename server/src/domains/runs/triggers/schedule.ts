import Type from "typebox";
import {
  nextCronTime,
  findDeployment,
  planOfVersion,
  type PlannedVersion,
  type Trigger,
  WorkflowActivated,
  WorkflowPublished,
  WorkflowRolledBack,
} from "#domains/workflows/index.ts";
import { type RecordedEvent, SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { newId } from "#kernel/schema/id.ts";
import { job } from "#kernel/work/job.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { id, line, Time } from "#kernel/schema/schema.ts";
import { queuedStart, writeRunStart } from "../start/start-run.ts";
import { startEvents } from "../events.ts";

type Schedule = Extract<Trigger, { type: "schedule" }>;

const ScheduledTime = Type.Object({
  workflowId: id("wf"),
  cron: line(200),
  timezone: Type.Optional(line(100)),
  scheduledFor: Time,
});

const RETRY_DELAY_MAX_MS = 60_000;

/**
 * Starts a run at a scheduled time. The run and the next job are written in the transaction that ends
 * this one, so that each time starts one run whatever the number of nodes. Times that passed while no
 * node worked are one late job: it starts one run, and the next time counts from now.
 */
export const scheduleJob = job({
  kind: "runs.schedule",
  payload: ScheduledTime,
  emits: startEvents,
  // A schedule whose job gave up would never start again.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  async run(ctx, due) {
    const scheduled = await findScheduled(ctx, due.workflowId);
    // Turned off meanwhile; turning it on again enqueues a new job.
    if (!scheduled) return;
    // A version that was deployed meanwhile may have another schedule.
    if (isSameSchedule(due, scheduled.schedule) && !scheduled.orphaned)
      await startScheduledRun(ctx, scheduled, due.scheduledFor);
    enqueueNextTime(ctx, scheduled, { after: ctx.now, onConflict: "move" });
  },
});

/** Enqueues the job of a schedule that is deployed or turned on. */
export const scheduleReader = reader({
  name: "runs.schedules",
  on: [WorkflowPublished.type, WorkflowRolledBack.type, WorkflowActivated.type],
  startsAt: "beginning",
  async handle(ctx, events) {
    for (const event of events) {
      const scheduled = await findScheduled(ctx, event.resource.id);
      if (!scheduled) continue;
      const isUnchanged = await hadSameSchedule(ctx, event, scheduled.schedule);
      // Counts from the deployment, however late this event is read.
      const after = new Date(event.createdAt);
      enqueueNextTime(ctx.because(event), scheduled, {
        after,
        onConflict: isUnchanged ? "keep" : "move",
      });
    }
  },
});

interface ScheduledWorkflow {
  readonly version: PlannedVersion;
  readonly schedule: Schedule;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
  readonly orphaned: boolean;
}

/** Finds the deployment, if its trigger is a schedule and is on. */
async function findScheduled(
  { tx, services, caller }: ReadContext,
  workflowId: string,
): Promise<ScheduledWorkflow | undefined> {
  const deployment = await findDeployment(tx, workflowId, caller.environment);
  if (!deployment?.enabled) return undefined;
  const version = await planOfVersion({ tx, services }, deployment.versionId);
  if (version?.definition.trigger.type !== "schedule") return undefined;
  const { deployedBy, permissions, orphaned } = deployment;
  return { version, schedule: version.definition.trigger, deployedBy, permissions, orphaned };
}

function enqueueNextTime(
  ctx: WriteContext<never>,
  { version: { workflowId }, schedule: { cron, timezone } }: ScheduledWorkflow,
  { after, onConflict }: { readonly after: Date; readonly onConflict: "keep" | "move" },
): void {
  const schedule = { cron, ...(timezone !== undefined && { timezone }) };
  const dueAt = nextCronTime(schedule, after);
  // A schedule may name a year that has passed.
  if (!dueAt) return;
  const due = { workflowId, ...schedule, scheduledFor: dueAt.toISOString() };
  ctx.enqueue(scheduleJob, due, { key: workflowId, dueAt, onConflict });
}

async function startScheduledRun(
  ctx: WriteContext<(typeof startEvents)[number]>,
  { version, deployedBy, permissions }: ScheduledWorkflow,
  scheduledFor: string,
): Promise<void> {
  const { workspace, environment } = ctx.caller;
  if (!workspace) throw new Error("A schedule belongs to a workspace.");
  // Each run starts a causal chain of its own, instead of continuing that of the deployment.
  const cause = { correlationId: newId("cor"), depth: 1 };
  ctx.setActor(SYSTEM_ACTOR, cause);
  const prepared = queuedStart(ctx.services, {
    workspace: workspace.key,
    environment,
    version,
    triggerType: "schedule",
    trigger: { type: "schedule", scheduledFor },
    actor: SYSTEM_ACTOR,
    runAs: deployedBy,
    permissions,
    cause,
  });
  await writeRunStart(ctx, prepared);
}

/** True when the version before had the same schedule, so that its late time is still to come. */
async function hadSameSchedule(
  { tx, services }: ReadContext,
  { type, data }: RecordedEvent,
  schedule: Schedule,
): Promise<boolean> {
  const { previousVersionId } = data;
  if (type === WorkflowActivated.type || typeof previousVersionId !== "string") return false;
  const previous = await planOfVersion({ tx, services }, previousVersionId);
  const trigger = previous?.definition.trigger;
  return trigger?.type === "schedule" && isSameSchedule(trigger, schedule);
}

type ScheduleTimes = Pick<Schedule, "cron" | "timezone">;

function isSameSchedule(left: ScheduleTimes, right: ScheduleTimes): boolean {
  return left.cron === right.cron && left.timezone === right.timezone;
}
