/** The past of a trigger: matching events, times of a schedule, or stored requests. */
import { PLATFORM_EVENTS, platformTopics } from "#domains/bus/index.ts";
import {
  compileCronTimes,
  type Deployment,
  findInputErrors,
  FIRST_TRIGGER_ID,
  listTriggers,
  type PlannedVersion,
  triggersOfType,
} from "#domains/workflows/index.ts";
import type { Authority } from "#domains/identity/accounts/index.ts";
import { type Condition, compileCondition } from "#kernel/condition/condition.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { CAUSATION_DEPTH_MAX, positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import {
  compileSubscriptionStart,
  type SubscriptionStart,
} from "#kernel/log/subscription-start.ts";
import { readPositionAt, readTopics } from "#kernel/log/topic-log.ts";
import { attachFor } from "#kernel/condition/subject-root.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import { readKeptRequests, toRequestStart } from "../inbound/kept/kept-request.ts";
import type { RunStart } from "../start/start-run.ts";
import { compileTriggerMatch } from "../triggers/event-reader.ts";
import { toRunStart } from "../triggers/event-start.ts";
import { resolveVisibility } from "../triggers/heard-events.ts";
import { toScheduledStart } from "../triggers/schedule.ts";

const BATCH_EVENTS = 500;
/** Events can reach the log this much later than their timestamp. */
const LATE_MS = 300_000;

/** A trigger, a time range, and the identity and permissions of the runs. */
export interface BackfillSpan {
  readonly version: PlannedVersion;
  readonly deployment: Pick<Deployment, "deployedBy" | "permissions">;
  readonly triggerId: string;
  readonly triggerType: string;
  readonly from: string;
  readonly to: string;
  /** The place from which the trigger receives events itself; replaces `to`. */
  readonly until?: SubscriptionStart;
  /** The backfill belongs to an activation, so it skips what the trigger already ran for. */
  readonly ofActivation?: boolean;
  readonly filter: Condition | null;
  /** The author of the filter. The filter must reveal nothing about events hidden from the author. */
  readonly starter: Authority;
}

export interface FoundThing {
  /** The id of the event or the request, or the time. */
  readonly thing: string;
  readonly at: string;
  readonly start: RunStart;
  /** False for an event hidden from the user who started the backfill. */
  readonly isVisible: boolean;
}

export interface FoundThings {
  readonly things: readonly FoundThing[];
  readonly place: string | null;
  readonly scanned: number;
  /** True if nothing is left in the range. */
  readonly isEnd: boolean;
}

interface Bounds {
  readonly things: number;
  readonly scanned: number;
}

/** Finds the items after a position, oldest first. */
export function findThings(
  ctx: ReadContext,
  span: BackfillSpan,
  place: string | null,
  bounds: Bounds,
): Promise<FoundThings> {
  if (span.triggerType === "schedule") return findTimes(ctx, span, place, bounds);
  if (span.triggerType === "event_bus") return findEvents(ctx, span, place, bounds);
  return findRequests(ctx, span, place, bounds);
}

async function findEvents(
  ctx: ReadContext,
  span: BackfillSpan,
  place: string | null,
  bounds: Bounds,
): Promise<FoundThings> {
  const events = triggersOfType(span.version.definition, "event_bus");
  const trigger = events.find(({ id }) => id === span.triggerId)?.trigger;
  if (!trigger) return { things: [], place, scanned: 0, isEnd: true };
  const topics = trigger.topic === PLATFORM_EVENTS ? platformTopics(ctx.services) : [trigger.topic];
  const matches = compileTriggerMatch(span.version, span.triggerId);
  const isWanted = span.filter ? compileCondition(span.filter) : () => true;
  const isWithin = compileSpan(span);
  const { deployedBy, permissions } = span.deployment;
  const things: FoundThing[] = [];
  const turn = new TurnTimer();
  let after = positionOf(place ?? "") ?? (await readPositionAt(ctx.tx, new Date(span.from)));
  let [at, scanned] = [place, 0];
  while (scanned < bounds.scanned) {
    const batch = await readTopics(ctx.tx, topics, after, BATCH_EVENTS);
    const subjects = await attachFor(ctx, [trigger.filter, span.filter], batch.events);
    const visibleTo = await resolveVisibility(ctx, subjects, [deployedBy, span.starter.runAs]);
    const heard = await findHeard(ctx, span, batch.events);
    for (const recorded of subjects) {
      if (turn.isOver()) await turn.next();
      if (isPast(recorded, span.to)) return { things, place: at, scanned, isEnd: true };
      scanned += 1;
      [after, at] = [recorded.position, recorded.id];
      const event = isWithin(recorded)
        ? visibleTo(recorded, { runAs: deployedBy, permissions })
        : undefined;
      if (!event || heard.has(event.id) || !matches(event)) continue;
      const seen = visibleTo(recorded, span.starter);
      if (span.filter && !(seen && isWanted(seen))) continue;
      const start = toRunStart(event, {
        id: span.triggerId,
        version: span.version,
        ...span.deployment,
      });
      const isVisible = seen !== undefined;
      things.push({ thing: event.id, at: event.createdAt, start, isVisible });
      if (things.length === bounds.things) return { things, place: at, scanned, isEnd: false };
    }
    if (!batch.hasMore) return { things, place: at, scanned, isEnd: true };
  }
  return { things, place: at, scanned, isEnd: false };
}

const HEARD = `
  select event_id as id from runs
   where workflow_id = $1 and causation_id = any($2) and event_id = causation_id
     and coalesce(trigger ->> 'id', '${FIRST_TRIGGER_ID}') = $3`;

/** For an activation: the events that the trigger received before its deactivation. */
async function findHeard(
  { tx }: ReadContext,
  { until, version, triggerId }: BackfillSpan,
  events: readonly RecordedEvent[],
): Promise<ReadonlySet<string>> {
  if (!until || events.length === 0) return new Set();
  const ids = events.map(({ id }) => id);
  const rows = await queryRows(tx, HEARD, [version.workflowId, ids, triggerId]);
  return new Set(rows.map((row) => String(row["id"])));
}

/** Matches events in the range. For an activation it matches the events that the trigger itself does not receive. */
function compileSpan({ from, to, until }: BackfillSpan): (event: RecordedEvent) => boolean {
  const isHeard = until && compileSubscriptionStart(until);
  return (event) =>
    event.createdAt >= from &&
    (isHeard ? !isHeard(event) : event.createdAt < to) &&
    event.depth < CAUSATION_DEPTH_MAX;
}

function isPast({ createdAt }: RecordedEvent, to: string): boolean {
  return Date.parse(createdAt) > Date.parse(to) + LATE_MS;
}

/** Skips requests that do not match the input schema of the deployed version, because it would reject them. */
async function findRequests(
  ctx: ReadContext,
  span: BackfillSpan,
  place: string | null,
  bounds: Bounds,
): Promise<FoundThings> {
  const { version, triggerId } = span;
  const trigger = listTriggers(version.definition).find(({ id }) => id === triggerId)?.trigger;
  if (!trigger) return { things: [], place, scanned: 0, isEnd: true };
  const limit = Math.min(bounds.things, bounds.scanned);
  const about = { workflowId: version.workflowId, triggerId, from: span.from, to: span.to };
  const requests = await readKeptRequests(ctx.tx, about, { after: place ?? "", limit });
  const things = requests
    .filter(({ input }) => findInputErrors(trigger, input).length === 0)
    .map(({ id, receivedAt, input }) => ({
      thing: id,
      at: receivedAt,
      start: toRequestStart(ctx, span, input),
      isVisible: true,
    }));
  return {
    things,
    place: requests.at(-1)?.id ?? place,
    scanned: requests.length,
    isEnd: requests.length < limit,
  };
}

const RUN_TIMES = `
  select trigger ->> 'scheduledFor' as time from runs
   where workflow_id = $1 and trigger_type = 'schedule' and trigger ->> 'scheduledFor' = any($2)
     and coalesce(trigger ->> 'id', '${FIRST_TRIGGER_ID}') = $3`;

/** For an activation: the times for which the schedule ran before its deactivation. */
async function leaveOutRun(
  { tx }: ReadContext,
  { ofActivation, version, triggerId }: BackfillSpan,
  things: readonly FoundThing[],
): Promise<readonly FoundThing[]> {
  if (ofActivation !== true || things.length === 0) return things;
  const times = things.map(({ thing }) => thing);
  const rows = await queryRows(tx, RUN_TIMES, [version.workflowId, times, triggerId]);
  const run = new Set(rows.map((row) => String(row["time"])));
  return things.filter(({ thing }) => !run.has(thing));
}

async function findTimes(
  ctx: ReadContext,
  span: BackfillSpan,
  place: string | null,
  bounds: Bounds,
): Promise<FoundThings> {
  const schedules = triggersOfType(span.version.definition, "schedule");
  const schedule = schedules.find(({ id }) => id === span.triggerId)?.trigger;
  const nextTime = schedule && compileCronTimes(schedule);
  const things: FoundThing[] = [];
  const turn = new TurnTimer();
  // The first moment of the span counts.
  let after = new Date(place ?? Date.parse(span.from) - 1);
  let isEnd = !nextTime;
  while (nextTime && things.length < bounds.things) {
    if (turn.isOver()) await turn.next();
    const at = nextTime(after);
    isEnd = !at || at.getTime() >= Date.parse(span.to);
    if (!at || isEnd) break;
    const time = at.toISOString();
    const start = toScheduledStart(ctx, span, time);
    things.push({ thing: time, at: time, start, isVisible: true });
    after = at;
  }
  return {
    things: await leaveOutRun(ctx, span, things),
    place: after.toISOString(),
    scanned: things.length,
    isEnd,
  };
}
