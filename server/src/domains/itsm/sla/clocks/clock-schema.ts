import Type, { type Static } from "typebox";
import {
  ticketIdentity,
  ticketKinds,
  TICKET_KINDS,
  type TicketKindName,
} from "../../tickets/index.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { clocksOf, type StoredClock } from "./store.ts";
import { type SlaClockState, foldEvents, foldEvent, type ClockPlan } from "./clock-fold.ts";
import { type TicketClocks, readTicketClocks, clocksToStore } from "./clock-reader.ts";
import { historiesOf } from "./ticket-history.ts";
import { eventsToEmit, toIso } from "./clock-row.ts";
import { METRICS, PolicyId } from "../policy.ts";
import { assertCanSee } from "./clock-access.ts";
import * as policies from "../store.ts";
import { CLOCK_STATES, clockStateAt } from "./clock-state.ts";

const MINUTE_MS = 60_000;

const shown = {
  policyId: PolicyId,
  policyName: Type.String(),
  metric: Type.Enum([...METRICS]),
  state: Type.Enum([...CLOCK_STATES], {
    description:
      "`breached` stays, also when the work is over; `cancelled`: with its ticket, or because the " +
      "policy does not match",
  }),
  counting: Type.Boolean({ description: "Whether time is being counted now" }),
  targetMinutes: Type.Number(),
  elapsedMs: Type.Integer({ description: "Of business time" }),
  remainingMs: Type.Integer(),
  dueAt: nullable(
    Type.String({
      format: "date-time",
      description: "If nothing happens until then; null while time is not counted",
    }),
  ),
  warnedAt: nullable(Time),
  breachedAt: nullable(Time),
  stoppedAt: nullable(Time),
};

const Entry = Type.Object(
  {
    at: Time,
    eventId: Type.String(),
    change: Type.Enum([
      "started",
      "paused",
      "resumed",
      "stopped",
      "restarted",
      "cancelled",
      "policy_matched",
      "policy_left",
    ]),
    elapsedMs: Type.Integer({ description: "What was used up by then" }),
  },
  { title: "SlaTimelineEntry" },
);

export const SlaClock = Type.Object(
  { ...shown, startedAt: Time, timeline: Type.Array(Entry) },
  { title: "SlaClock" },
);
export type SlaClock = Static<typeof SlaClock>;

/** On a wall, where many are seen at once. */
export const ClockListItem = Type.Object(
  {
    ...shown,
    ticket: Type.Object({
      kind: Type.Enum([...TICKET_KINDS]),
      id: Type.String(),
      number: nullable(Type.String()),
      title: nullable(Type.String()),
      state: Type.String(),
      priority: nullable(Type.Integer()),
      assigneeId: nullable(Type.String()),
      teamId: nullable(Type.String()),
    }),
  },
  { title: "SlaBoardClock" },
);
export type ClockListItem = Static<typeof ClockListItem>;

/** The clocks of a ticket, as the log has them at this moment. */
export async function clocksOfTicket(
  ctx: ReadContext,
  kindName: TicketKindName,
  ref: string,
): Promise<SlaClock[]> {
  const { tx, services, now } = ctx;
  const kind = ticketKinds(services).find((one) => one.kind === kindName);
  if (!kind) throw new Failure(NotFound);
  assertCanSee(kind, ctx);
  const { id, state } = await ticketIdentity(ctx, kind, ref);
  const [active, stored, histories] = await Promise.all([
    policies.active(tx),
    clocksOf(tx, id),
    historiesOf(tx, [{ id }]),
  ]);
  const history = histories.get(id) ?? [];
  const lines = readTicketClocks(services, active).filter(({ plan }) => plan.entity === kindName);
  const ended = kind.machine.finalStates.includes(state);
  const lastAt = history.at(-1)?.createdAt ?? "";
  const going = lines.flatMap((line) => {
    // What became of a ticket is not judged again by a policy that came, or was changed, after its end.
    if (ended && line.policy.updatedAt > lastAt) return [];
    const clock = clockOf(line, history, clocksToStore(line, stored));
    if (!clock?.everMatched) return [];
    return [shownOf(line, clock, now.getTime())];
  });
  const shownAlready = new Set(going.map(({ policyId, metric }) => `${policyId} ${metric}`));
  const left = stored.filter(({ policyId, metric }) => !shownAlready.has(`${policyId} ${metric}`));
  return [...going, ...left.map(leftOf)];
}

/** The history may no longer reach back to the beginning; what was worked out before does. */
function clockOf(
  { policy, plan }: TicketClocks,
  history: readonly RecordedEvent[],
  before: StoredClock | undefined,
): SlaClockState | undefined {
  const whole = history[0]?.type.endsWith(".created") === true;
  if (!whole && before?.policyRevision === policy.revision) {
    return foldEvent(plan, before.clock, eventsToEmit(history, before.place));
  }
  return foldEvents(plan, history);
}

function shownOf({ policy, plan }: TicketClocks, clock: SlaClockState, nowMs: number): SlaClock {
  return {
    policyId: policy.id,
    policyName: policy.name,
    ...timesOf(plan, clock, nowMs),
    startedAt: new Date(clock.startedAt).toISOString(),
    timeline: [...clock.timeline],
  };
}

function timesOf(plan: ClockPlan, clock: SlaClockState, nowMs: number) {
  const view = clockStateAt(plan, clock, nowMs);
  return {
    metric: plan.metric,
    ...view,
    targetMinutes: plan.targetMs / MINUTE_MS,
    dueAt: toIso(view.dueAt),
    warnedAt: toIso(view.warnedAt),
    breachedAt: toIso(view.breachedAt),
    stoppedAt: toIso(clock.stoppedAt),
  };
}

/** What is kept of a policy that is off or gone. */
function leftOf(stored: StoredClock): SlaClock {
  return {
    ...plainOf(stored),
    startedAt: new Date(stored.clock.startedAt).toISOString(),
    timeline: [...stored.clock.timeline],
  };
}

function plainOf({ policyId, policyName, metric, state, clock, targetMs, ...stored }: StoredClock) {
  const { elapsedMs } = clock;
  return {
    policyId,
    policyName,
    metric,
    state,
    counting: false,
    targetMinutes: targetMs / MINUTE_MS,
    elapsedMs,
    remainingMs: Math.max(0, targetMs - elapsedMs),
    dueAt: stored.dueAt,
    warnedAt: stored.warnedAt,
    breachedAt: stored.breachedAt,
    stoppedAt: stored.stoppedAt,
  };
}

/** A clock for the wall: as it is kept, with what has passed since. */
export function boardClockOf(
  stored: StoredClock,
  lines: readonly TicketClocks[],
  nowMs: number,
): ClockListItem {
  const ticket = { kind: stored.kind, id: stored.ticketId, ...stored.ticket };
  const line = lines.find((one) => clocksToStore(one, [stored]));
  const plain = plainOf(stored);
  if (line?.policy.revision !== stored.policyRevision) return { ...plain, ticket };
  return { ...plain, ...timesOf(line.plan, stored.clock, nowMs), ticket };
}
