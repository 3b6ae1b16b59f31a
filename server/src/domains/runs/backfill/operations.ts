import {
  Backfill,
  type Backfiller,
  BackfillId,
  BackfillStarted,
  type Deployment,
  findDeployment,
  findEventDeployments,
  findStartable,
  type NamedTrigger,
  NothingToBackfill,
  type PlannedVersion,
  planOfVersion,
  type Trigger,
  TooManyBackfills,
  triggersOfType,
  WorkflowId,
  WorkflowsRead,
  WorkflowsTrigger,
} from "#domains/workflows/index.ts";
import { EventsRead } from "#domains/audit/index.ts";
import { mayHear } from "#domains/bus/index.ts";
import { authorityOf, NobodyBehind } from "#domains/identity/accounts/index.ts";
import { checkCondition } from "#kernel/condition/condition.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { Failure, invalidField, NotFound, permissionFailure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { listPageById, pageQuery } from "#kernel/operation/pagination.ts";
import { accepted, item, page } from "#kernel/operation/response.ts";
import { newId } from "#kernel/schema/id.ts";
import { object } from "#kernel/schema/schema.ts";
import { NotDeployed } from "../run.ts";
import {
  BackfillCancelled,
  BackfillInput,
  BackfillOver,
  BackfillPlan,
  BACKFILL_LISTED_MAX,
} from "./backfill.ts";
import { planTurn } from "./backfill-job.ts";
import { type BackfillSpan, findThings } from "./source.ts";
import {
  type BackfillRow,
  countRunning,
  findBackfill,
  forgetRuns,
  lockBackfill,
  readBackfills,
  toBackfill,
} from "./store.ts";

/** Bounds of a dry run. */
const SHOWN_THINGS_MAX = 1_000;
const SHOWN_SCANNED_MAX = 20_000;
const CONCURRENCY_DEFAULT = 5;
/** Each running backfill takes job capacity all the time. */
const RUNNING_MAX = 20;
const SPAN_YEARS_MAX = 10;
const EXAMPLE = "bfl_01jzt3n5k8q2x4v6w8y0z2b4d6";

const startBackfill = command({
  id: "workflows.backfill",
  effect: "drastic",
  route: "POST /api/v1/workflows/{id}/backfill",
  summary: "Create a backfill of a workflow",
  description:
    "Starts a run of the deployed version for each past event that matches the trigger, for each past time of its schedule (`trigger.scheduledFor`), or for each stored request (`keep`), between `from` and `to`, oldest first and at most `maxConcurrency` at once. `filter` restricts events further. A backfill starts each run once, even after interruptions; a second backfill starts them again. A dry run returns the number of runs and examples.",
  permission: WorkflowsTrigger,
  params: object({ id: WorkflowId }),
  body: BackfillInput,
  response: accepted(BackfillPlan, {
    alternative: { status: 200, when: ({ dryRun }) => dryRun },
    location: ({ backfill }) => `/api/v1/backfills/${backfill?.id ?? ""}`,
  }),
  emits: [BackfillStarted],
  allowNoop: true,
  fails: [NotDeployed, NothingToBackfill, NobodyBehind, TooManyBackfills],
  example: {
    params: { id: "wf_01jd0000000000000000000000" },
    body: { from: "2026-11-01T00:00:00.000Z", to: "2026-11-02T00:00:00.000Z", dryRun: true },
  },
  async run(ctx, { params, body }): Promise<BackfillPlan> {
    const span = await chooseSpan(ctx, params.id, body);
    if (body.dryRun !== true) {
      const backfill = await insertBackfill(ctx, span, body);
      return { dryRun: false, backfill, matched: 0, things: [], truncated: false };
    }
    // The schedule itself describes the remaining times well enough.
    const bounds = { things: SHOWN_THINGS_MAX, scanned: SHOWN_SCANNED_MAX };
    const { things, isEnd } = await findThings(ctx, span, null, bounds);
    return {
      dryRun: true,
      backfill: null,
      matched: things.length,
      things: things
        .filter(({ isVisible }) => isVisible)
        .slice(0, BACKFILL_LISTED_MAX)
        .map(({ thing, at }) => ({ thing, at })),
      truncated: !isEnd,
    };
  },
});

interface BackfilledWorkflow {
  readonly deployment: Deployment;
  readonly version: PlannedVersion;
  /** Triggers with a past, in the order of preference. */
  readonly triggers: readonly NamedTrigger<BackfilledTrigger>[];
}
type BackfilledTrigger = Extract<Trigger, { type: "event_bus" | "schedule" | "webhook" | "form" }>;

async function findBackfilled(
  { tx, services, caller }: ReadContext,
  workflowId: string,
): Promise<BackfilledWorkflow> {
  const { environment } = caller;
  if (!(await findStartable(tx, workflowId, environment))) throw new Failure(NotFound);
  const deployment = await findDeployment(tx, workflowId, environment);
  const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
  if (!deployment || !version) throw new Failure(NotDeployed);
  if (deployment.orphaned) throw new Failure(NobodyBehind);
  const { definition } = version;
  const inbound = [...triggersOfType(definition, "webhook"), ...triggersOfType(definition, "form")];
  const triggers = [
    ...triggersOfType(definition, "event_bus"),
    ...triggersOfType(definition, "schedule"),
    ...inbound.filter(({ trigger }) => trigger.keep),
  ];
  return { deployment, version, triggers };
}

async function chooseSpan(
  ctx: ReadContext,
  workflowId: string,
  { from, to = ctx.now.toISOString(), triggerId, filter }: BackfillInput,
): Promise<BackfillSpan> {
  const { triggers, ...backfilled } = await findBackfilled(ctx, workflowId);
  const chosen = triggers.find(({ id }) => triggerId === undefined || id === triggerId);
  if (!chosen) throw new Failure(NothingToBackfill);
  const [error] = filter ? checkCondition(filter) : [];
  if (error) throw invalidField(`/filter${error.path}`, error.message);
  const { type: triggerType } = chosen.trigger;
  if (filter && triggerType !== "event_bus") {
    throw invalidField("/filter", "can only be used with event triggers");
  }
  if (filter && chosen.trigger.type === "event_bus" && !mayHear(ctx.caller, chosen.trigger.topic)) {
    throw permissionFailure(EventsRead.name);
  }
  return {
    ...backfilled,
    ...checkPeriod(ctx.now, from, to),
    triggerId: chosen.id,
    triggerType,
    filter: filter ?? null,
    starter: starterOf(ctx),
  };
}

function starterOf({ caller }: ReadContext): BackfillSpan["starter"] {
  const { runAs, permissions } = authorityOf(caller);
  return { runAs, ...(permissions && { permissions }) };
}

function checkPeriod(now: Date, from: string, to: string): Pick<BackfillSpan, "from" | "to"> {
  const [begin, end] = [new Date(from), new Date(to)];
  if (begin >= end) throw invalidField("/to", "must be later than `from`");
  if (end > now) throw invalidField("/to", "must not be in the future");
  if (end.getUTCFullYear() - begin.getUTCFullYear() > SPAN_YEARS_MAX) {
    throw invalidField("/from", `must not be more than ${SPAN_YEARS_MAX} years before \`to\``);
  }
  return { from: begin.toISOString(), to: end.toISOString() };
}

/**
 * Creates backfills for what triggers missed before their activation. Stored requests are excluded because they
 * already have a run.
 */
export const backfiller: Backfiller = {
  async start(ctx, { workflowId, from }) {
    const { triggers: all, ...backfilled } = await findBackfilled(ctx, workflowId);
    const triggers = all.filter(
      ({ trigger: { type } }) => type === "event_bus" || type === "schedule",
    );
    if (triggers.length === 0) throw new Failure(NothingToBackfill);
    if (new Date(from) >= ctx.now) throw invalidField("/from", "must be in the past");
    const period = checkPeriod(ctx.now, from, ctx.now.toISOString());
    for (const { id: triggerId, trigger } of triggers) {
      const span = { triggerId, triggerType: trigger.type, filter: null, starter: starterOf(ctx) };
      const until = await findHearingStart(ctx, workflowId, { id: triggerId, trigger });
      const whole = { ...backfilled, ...period, ...span, ...until, ofActivation: true };
      await insertBackfill(ctx, whole, { from });
    }
  },
};

/** The place from which an event trigger received events. */
async function findHearingStart(
  { tx, caller }: ReadContext,
  workflowId: string,
  { id, trigger }: Pick<NamedTrigger<BackfilledTrigger>, "id" | "trigger">,
): Promise<Pick<BackfillSpan, "until">> {
  if (trigger.type !== "event_bus") return {};
  const deployments = await findEventDeployments(tx, caller.environment, [trigger.topic]);
  const own = deployments.find((one) => one.workflowId === workflowId && one.triggerId === id);
  return own ? { until: own.since } : {};
}

async function insertBackfill(
  ctx: WriteContext<typeof BackfillStarted>,
  { version, triggerId, triggerType, from, to, until, ofActivation, filter, starter }: BackfillSpan,
  { maxConcurrency = CONCURRENCY_DEFAULT }: BackfillInput,
): Promise<Backfill> {
  if ((await countRunning(ctx.tx)) >= RUNNING_MAX) throw new Failure(TooManyBackfills);
  const row = await ctx.tx
    .insertInto("backfills")
    .values({
      id: newId("bfl", ctx.now.getTime()),
      workflow_id: version.workflowId,
      trigger_id: triggerId,
      trigger_type: triggerType,
      state: "running",
      since_epoch: until?.epoch ?? null,
      since: until?.snapshot ?? null,
      of_activation: ofActivation ?? false,
      begins_at: from,
      ends_at: to,
      filter: filter === null ? null : JSON.stringify(filter),
      max_concurrency: maxConcurrency,
      created_by: starter.runAs,
      created_at: ctx.now.toISOString(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const backfill = toBackfill(row);
  ctx.emit(BackfillStarted, { id: row.id, displayName: version.definition.name }, backfill);
  planTurn(ctx, row.id);
  return backfill;
}

const listBackfills = query({
  id: "workflows.list_backfills",
  route: "GET /api/v1/workflows/{id}/backfills",
  summary: "List backfills of a workflow, newest first",
  permission: WorkflowsRead,
  params: object({ id: WorkflowId }),
  query: object(pageQuery),
  response: page(Backfill),
  example: { params: { id: "wf_01jd0000000000000000000000" } },
  async run(ctx, { params: { id: workflowId }, query: asked }) {
    if (!(await findStartable(ctx.tx, workflowId, ctx.caller.environment))) {
      throw new Failure(NotFound);
    }
    return listPageById(ctx.services, `backfills of ${workflowId}`, asked, (last, limit) =>
      readBackfills(ctx.tx, workflowId, last, limit),
    );
  },
});

const getBackfill = query({
  id: "backfills.get",
  route: "GET /api/v1/backfills/{id}",
  summary: "Get a backfill and its progress",
  permission: WorkflowsRead,
  params: object({ id: BackfillId }),
  response: item(Backfill),
  example: { params: { id: EXAMPLE } },
  run: async ({ tx }, { params }) => toBackfill(assertFound(await findBackfill(tx, params.id))),
});

const cancelBackfill = command({
  id: "backfills.cancel",
  effect: "drastic",
  route: "POST /api/v1/backfills/{id}/cancel",
  summary: "Cancel a backfill",
  description: "No more runs are started. Active runs continue.",
  permission: WorkflowsTrigger,
  params: object({ id: BackfillId }),
  response: item(Backfill),
  emits: [BackfillCancelled],
  fails: [BackfillOver],
  example: { params: { id: EXAMPLE } },
  async run(ctx, { params }) {
    const row = assertFound(await lockBackfill(ctx.tx, params.id));
    if (row.state !== "running") throw new Failure(BackfillOver);
    const finished = { state: "cancelled", finished_at: ctx.now.toISOString() };
    await ctx.tx.updateTable("backfills").set(finished).where("id", "=", row.id).execute();
    await forgetRuns(ctx.tx, row.id);
    const backfill = toBackfill({ ...row, ...finished });
    ctx.emit(BackfillCancelled, { id: row.id }, backfill);
    return backfill;
  },
});

function assertFound(row: BackfillRow | undefined): BackfillRow {
  if (!row) throw new Failure(NotFound);
  return row;
}

export const backfillOperations = [startBackfill, listBackfills, getBackfill, cancelBackfill];
