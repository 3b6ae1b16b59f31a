import Type, { type Static } from "typebox";
import {
  FIRST_TRIGGER_ID,
  nextCronTime,
  findDeployment,
  planOfVersion,
  type PlannedVersion,
  type Trigger,
  triggerName,
  triggersOfType,
  WorkflowActivated,
  WorkflowPublished,
  WorkflowRolledBack,
} from "#domains/workflows/index.ts";
import { newCorrelationId } from "#kernel/log/causal-chain.ts";
import { type RecordedEvent, SYSTEM_ACTOR } from "#kernel/log/event.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { job } from "#kernel/work/job.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { id, line, Time } from "#kernel/schema/schema.ts";
import { queuedStart, type RunStart, writeRunStart } from "../start/start-run.ts";
import { startEvents } from "../events.ts";

type Schedule = Extract<Trigger, { type: "schedule" }>;

const ScheduledTime = Type.Object({
  workflowId: id("wf"),
  triggerId: Type.Optional(line(40)),
  cron: line(200),
  timezone: Type.Optional(line(100)),
  scheduledFor: Time,
  madeUp: Type.Optional(
    Type.Integer({ description: "Number of missed times before it that had a run" }),
  ),
});

const RETRY_DELAY_MAX_MS = 60_000;
/** A time this late counts as missed, because no node was running. */
const MISSED_MS = 60_000;
/** Limit of missed times that run individually. A schedule of seconds would otherwise continue for days. */
const MADE_UP_MAX = 1_000;

/**
 * Starts a run at a scheduled time. The run and the next job are written in the transaction that ends this job, so
 * each time starts one run with any number of nodes. Times missed while no node was running are one late job: it
 * starts one run and the next time counts from now, unless `missed` is set differently.
 */
export const scheduleJob = job({
  kind: "runs.schedule",
  payload: ScheduledTime,
  emits: startEvents,
  // If the job gave up, its schedule would never start again.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  async run(ctx, due) {
    const { workflowId, triggerId = FIRST_TRIGGER_ID } = due;
    const all = await findScheduled(ctx, workflowId);
    const scheduled = all.find((one) => one.triggerId === triggerId);
    // Deactivated in the meantime. The next activation enqueues a new job.
    if (!scheduled) return;
    const { missed = "one" } = scheduled.schedule;
    const time = new Date(due.scheduledFor);
    const isMissed = ctx.now.getTime() - time.getTime() > MISSED_MS;
    // A version deployed in the meantime can have another schedule.
    const isDue = isSameSchedule(due, scheduled.schedule) && !scheduled.orphaned;
    const isLeftOut = (isMissed && missed === "none") || (await isBackfilled(ctx, due));
    if (isDue && !isLeftOut) {
      await startScheduledRun(ctx, scheduled, due.scheduledFor);
    }
    const { madeUp = 0 } = due;
    const isBehind = isDue && isMissed && missed === "all" && madeUp + 1 < MADE_UP_MAX;
    enqueueNextTime(ctx, scheduled, {
      after: isBehind ? time : ctx.now,
      onConflict: "move",
      madeUp: isBehind ? madeUp + 1 : 0,
    });
  },
});

/** Enqueues the job of a deployed or activated schedule. */
export const scheduleReader = reader({
  name: "runs.schedules",
  on: [WorkflowPublished.type, WorkflowRolledBack.type, WorkflowActivated.type],
  startsAt: "beginning",
  async handle(ctx, events) {
    for (const event of events) {
      for (const scheduled of await findScheduled(ctx, event.resource.id)) {
        const isUnchanged = await hadSameSchedule(ctx, event, scheduled);
        // Counts from the deployment, also if this event is read late.
        const after = new Date(event.createdAt);
        enqueueNextTime(ctx.because(event), scheduled, {
          after,
          onConflict: isUnchanged ? "keep" : "move",
        });
      }
    }
  },
});

interface ScheduledWorkflow {
  readonly triggerId: string;
  readonly version: PlannedVersion;
  readonly schedule: Schedule;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
  readonly orphaned: boolean;
}

/** Finds the schedules of a deployment with active triggers. */
async function findScheduled(
  { tx, services, caller }: ReadContext,
  workflowId: string,
): Promise<ScheduledWorkflow[]> {
  const deployment = await findDeployment(tx, workflowId, caller.environment);
  if (!deployment?.enabled) return [];
  const version = await planOfVersion({ tx, services }, deployment.versionId);
  if (!version) return [];
  const { deployedBy, permissions, orphaned } = deployment;
  return triggersOfType(version.definition, "schedule").map(({ id: triggerId, trigger }) => ({
    triggerId,
    version,
    schedule: trigger,
    deployedBy,
    permissions,
    orphaned,
  }));
}

const FIND_BACKFILL = `
  select id from backfills
   where workflow_id = $1 and trigger_id = $2 and of_activation and begins_at <= $3 and ends_at > $3
   limit 1`;

/**
 * True for a time before the activation that the backfill of the activation runs. A job from before the activation
 * still exists if no node ran in between.
 */
async function isBackfilled(
  { tx }: ReadContext,
  { workflowId, triggerId = FIRST_TRIGGER_ID, scheduledFor }: Static<typeof ScheduledTime>,
): Promise<boolean> {
  const found = await queryRows(tx, FIND_BACKFILL, [workflowId, triggerId, scheduledFor]);
  return found.length > 0;
}

interface NextTime {
  readonly after: Date;
  readonly onConflict: "keep" | "move";
  readonly madeUp?: number;
}

function enqueueNextTime(
  ctx: WriteContext<never>,
  { version: { workflowId }, triggerId, schedule: { cron, timezone } }: ScheduledWorkflow,
  { after, onConflict, madeUp = 0 }: NextTime,
): void {
  const schedule = { cron, ...(timezone !== undefined && { timezone }) };
  const dueAt = nextCronTime(schedule, after);
  // A schedule can name a year in the past.
  if (!dueAt) return;
  const isFirst = triggerId === FIRST_TRIGGER_ID;
  const due = {
    workflowId,
    ...(!isFirst && { triggerId }),
    ...schedule,
    scheduledFor: dueAt.toISOString(),
    ...(madeUp > 0 && { madeUp }),
  };
  const key = isFirst ? workflowId : `${workflowId} ${triggerId}`;
  ctx.enqueue(scheduleJob, due, { key, dueAt, onConflict });
}

async function startScheduledRun(
  ctx: WriteContext<(typeof startEvents)[number]>,
  { deployedBy, permissions, ...scheduled }: ScheduledWorkflow,
  scheduledFor: string,
): Promise<void> {
  const deployment = { deployedBy, permissions };
  const start = toScheduledStart(ctx, { ...scheduled, deployment }, scheduledFor);
  ctx.setActor(SYSTEM_ACTOR, start.cause);
  await writeRunStart(ctx, queuedStart(ctx.services, start));
}

/** The start of a run for a scheduled time. */
export function toScheduledStart(
  { caller: { workspace, environment }, services }: Pick<ReadContext, "caller" | "services">,
  scheduled: Pick<ScheduledWorkflow, "version" | "triggerId"> & {
    readonly deployment: Pick<ScheduledWorkflow, "deployedBy" | "permissions">;
  },
  scheduledFor: string,
): RunStart {
  if (!workspace) throw new Error("A schedule belongs to a workspace.");
  const { version, triggerId, deployment } = scheduled;
  return {
    workspace: workspace.key,
    environment,
    version,
    triggerType: "schedule",
    trigger: { type: "schedule", ...triggerName(version.definition, triggerId), scheduledFor },
    actor: SYSTEM_ACTOR,
    runAs: deployment.deployedBy,
    permissions: deployment.permissions,
    // Each run starts its own causal chain instead of continuing that of the deployment.
    cause: { correlationId: newCorrelationId(services.clock), depth: 1 },
  };
}

/** True if the previous version had the same schedule, so its overdue time still runs. */
async function hadSameSchedule(
  { tx, services }: ReadContext,
  { type, data }: RecordedEvent,
  { triggerId, schedule }: ScheduledWorkflow,
): Promise<boolean> {
  const { previousVersionId } = data;
  if (type === WorkflowActivated.type || typeof previousVersionId !== "string") return false;
  const previous = await planOfVersion({ tx, services }, previousVersionId);
  const before = previous ? triggersOfType(previous.definition, "schedule") : [];
  return before.some(
    ({ id: was, trigger }) => was === triggerId && isSameSchedule(trigger, schedule),
  );
}

type ScheduleTimes = Pick<Schedule, "cron" | "timezone">;

function isSameSchedule(left: ScheduleTimes, right: ScheduleTimes): boolean {
  return left.cron === right.cron && left.timezone === right.timezone;
}
