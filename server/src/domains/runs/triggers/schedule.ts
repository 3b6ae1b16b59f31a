import Type from "typebox";
import {
  cronOf,
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

const Due = Type.Object({
  workflowId: id("wf"),
  cron: line(200),
  timezone: Type.Optional(line(100)),
  scheduledFor: Time,
});

const RETRY_DELAY_MAX_MS = 60_000;

/**
 * One time of one schedule. The run and the next time are written in the transaction that ends the
 * job, so that each time starts one run whatever the number of nodes. Times that passed while nobody
 * worked are one job that is late: it starts one run and goes on from now.
 */
export const startOnTime = job({
  kind: "runs.schedule",
  payload: Due,
  emits: startEvents,
  // A schedule that gave up would be silent for good.
  attemptsMax: Number.POSITIVE_INFINITY,
  retryDelayMs: (attempt) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
  async run(ctx, due) {
    const scheduled = await findScheduled(ctx, due.workflowId);
    // Turned off meanwhile: turning it on again makes a new job.
    if (!scheduled) return;
    // What was deployed just now may have other times than the one that this is.
    if (isSame(due, scheduled.schedule)) await start(ctx, scheduled, due.scheduledFor);
    arm(ctx, scheduled, { after: ctx.now, onConflict: "move" });
  },
});

/** Keeps a job for each schedule that is on; one that is turned off finds that out when it is due. */
export const keepSchedules = reader({
  name: "runs.schedules",
  on: [WorkflowPublished.type, WorkflowRolledBack.type, WorkflowActivated.type],
  startsAt: "beginning",
  async handle(ctx, events) {
    for (const event of events) {
      const scheduled = await findScheduled(ctx, event.resource.id);
      if (!scheduled) continue;
      const goesOn = await hadSame(ctx, event, scheduled.schedule);
      // From when it was deployed, however late this is.
      const after = new Date(event.createdAt);
      arm(ctx.because(event), scheduled, { after, onConflict: goesOn ? "keep" : "move" });
    }
  },
});

interface Scheduled {
  readonly version: PlannedVersion;
  readonly schedule: Schedule;
  readonly deployedBy: string;
  readonly permissions: readonly string[] | undefined;
}

/** What is deployed here, if its trigger is a schedule and is on. */
async function findScheduled(
  { tx, services, caller }: ReadContext,
  workflowId: string,
): Promise<Scheduled | undefined> {
  const deployment = await findDeployment(tx, workflowId, caller.environment);
  if (!deployment?.enabled) return undefined;
  const version = await planOfVersion({ tx, services }, deployment.versionId);
  if (version?.definition.trigger.type !== "schedule") return undefined;
  const { deployedBy, permissions } = deployment;
  return { version, schedule: version.definition.trigger, deployedBy, permissions };
}

function arm(
  ctx: WriteContext<never>,
  { version: { workflowId }, schedule: { cron, timezone } }: Scheduled,
  { after, onConflict }: { readonly after: Date; readonly onConflict: "keep" | "move" },
): void {
  const schedule = { cron, ...(timezone !== undefined && { timezone }) };
  const dueAt = cronOf(schedule).nextRun(after);
  // A schedule may name a year, and have no time any more.
  if (!dueAt) return;
  const due = { workflowId, ...schedule, scheduledFor: dueAt.toISOString() };
  ctx.enqueue(startOnTime, due, { key: workflowId, dueAt, onConflict });
}

async function start(
  ctx: WriteContext<(typeof startEvents)[number]>,
  { version, deployedBy, permissions }: Scheduled,
  scheduledFor: string,
): Promise<void> {
  const { workspace, environment } = ctx.caller;
  if (!workspace) throw new Error("A schedule belongs to a workspace.");
  // Each run begins a chain of its own, instead of going on with that of the deployment.
  const cause = { correlationId: newId("cor"), depth: 1 };
  ctx.setActor(SYSTEM_ACTOR, cause);
  const beginning = queuedStart(ctx.services, {
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
  await writeRunStart(ctx, beginning);
}

/** Whether the version before had the same times, so that one which is late is still to come. */
async function hadSame(
  { tx, services }: ReadContext,
  { type, data }: RecordedEvent,
  schedule: Schedule,
): Promise<boolean> {
  const { previousVersionId } = data;
  if (type === WorkflowActivated.type || typeof previousVersionId !== "string") return false;
  const previous = await planOfVersion({ tx, services }, previousVersionId);
  const trigger = previous?.definition.trigger;
  return trigger?.type === "schedule" && isSame(trigger, schedule);
}

type Times = Pick<Schedule, "cron" | "timezone">;

function isSame(left: Times, right: Times): boolean {
  return left.cron === right.cron && left.timezone === right.timezone;
}
