/** The past of a trigger: the events that it would have heard, or the times of its schedule. */
import { PLATFORM_EVENTS, platformTopics } from "#domains/bus/index.ts";
import {
  compileCronTimes,
  type Deployment,
  type PlannedVersion,
  triggersOfType,
} from "#domains/workflows/index.ts";
import type { Authority } from "#domains/identity/accounts/index.ts";
import { type Condition, compileCondition } from "#kernel/condition/condition.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { CAUSATION_DEPTH_MAX, positionOf, type RecordedEvent } from "#kernel/log/event.ts";
import { readPositionAt, readTopics } from "#kernel/log/topic-log.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";
import type { RunStart } from "../start/start-run.ts";
import { compileTriggerMatch } from "../triggers/event-reader.ts";
import { toRunStart } from "../triggers/event-start.ts";
import { resolveVisibility } from "../triggers/heard-events.ts";
import { toScheduledStart } from "../triggers/schedule.ts";

const BATCH_EVENTS = 500;
/** Events may come into the log this much later than they say. */
const LATE_MS = 300_000;

/** A trigger, a span of time, and whose eyes and rights it has. */
export interface BackfillSpan {
  readonly version: PlannedVersion;
  readonly deployment: Pick<Deployment, "deployedBy" | "permissions">;
  readonly triggerId: string;
  readonly triggerType: string;
  readonly from: string;
  readonly to: string;
  readonly filter: Condition | null;
  /** The author of the filter, which tells nothing of events that they may not see. */
  readonly starter: Authority;
}

export interface FoundThing {
  /** The id of the event, or the time. */
  readonly thing: string;
  readonly at: string;
  readonly start: RunStart;
  /** False for an event that whoever started the backfill may not see. */
  readonly isVisible: boolean;
}

export interface FoundThings {
  readonly things: readonly FoundThing[];
  readonly place: string | null;
  readonly scanned: number;
  /** True where nothing is left in the span. */
  readonly isEnd: boolean;
}

interface Bounds {
  readonly things: number;
  readonly scanned: number;
}

/** Finds what comes after a place, the oldest first. */
export function findThings(
  ctx: ReadContext,
  span: BackfillSpan,
  place: string | null,
  bounds: Bounds,
): Promise<FoundThings> {
  return span.triggerType === "schedule"
    ? findTimes(ctx, span, place, bounds)
    : findEvents(ctx, span, place, bounds);
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
  const { deployedBy, permissions } = span.deployment;
  const things: FoundThing[] = [];
  const turn = new TurnTimer();
  let after = positionOf(place ?? "") ?? (await readPositionAt(ctx.tx, new Date(span.from)));
  let [at, scanned] = [place, 0];
  while (scanned < bounds.scanned) {
    const batch = await readTopics(ctx.tx, topics, after, BATCH_EVENTS);
    const visibleTo = await resolveVisibility(ctx, batch.events, [deployedBy, span.starter.runAs]);
    for (const recorded of batch.events) {
      if (turn.isOver()) await turn.next();
      if (isPast(recorded, span.to)) return { things, place: at, scanned, isEnd: true };
      scanned += 1;
      [after, at] = [recorded.position, recorded.id];
      const event = isWithin(recorded, span)
        ? visibleTo(recorded, { runAs: deployedBy, permissions })
        : undefined;
      if (!event || !matches(event)) continue;
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

function isWithin({ createdAt, depth }: RecordedEvent, { from, to }: BackfillSpan): boolean {
  return createdAt >= from && createdAt < to && depth < CAUSATION_DEPTH_MAX;
}

function isPast({ createdAt }: RecordedEvent, to: string): boolean {
  return Date.parse(createdAt) > Date.parse(to) + LATE_MS;
}

async function findTimes(
  { caller }: ReadContext,
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
  while (nextTime && things.length < bounds.things) {
    if (turn.isOver()) await turn.next();
    const at = nextTime(after);
    if (!at || at.getTime() >= Date.parse(span.to)) {
      return { things, place: after.toISOString(), scanned: things.length, isEnd: true };
    }
    const time = at.toISOString();
    const start = toScheduledStart(caller, span, time);
    things.push({ thing: time, at: time, start, isVisible: true });
    after = at;
  }
  return { things, place: after.toISOString(), scanned: things.length, isEnd: !nextTime };
}
