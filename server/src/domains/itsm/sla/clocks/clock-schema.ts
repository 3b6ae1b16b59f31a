import Type, { type Static } from "typebox";
import { headOf, kindsOf, TICKET_KINDS, type TicketKindName } from "../../tickets/index.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { clocksOf, type StoredClock } from "./store.ts";
import { type Clock, foldAll, foldOn, type Plan } from "./clock-fold.ts";
import { type Line, linesOf, storedFor } from "./clock-reader.ts";
import { historiesOf } from "./ticket-history.ts";
import { eventsAfter, isoOf } from "./clock-row.ts";
import { METRICS, PolicyId } from "../policy.ts";
import { assertMaySee } from "./clock-access.ts";
import * as policies from "../store.ts";
import { CLOCK_STATES, viewAt } from "./clock-state.ts";

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
export const BoardClock = Type.Object(
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
export type BoardClock = Static<typeof BoardClock>;

/** The clocks of a ticket, as the log has them at this moment. */
export async function clocksOfTicket(
  ctx: ReadContext,
  kindName: TicketKindName,
  ref: string,
): Promise<SlaClock[]> {
  const { tx, services, now } = ctx;
  const kind = kindsOf(services).find((one) => one.kind === kindName);
  if (!kind) throw new Failure(NotFound);
  assertMaySee(kind, ctx);
  const { id, state } = await headOf(ctx, kind, ref);
  const [active, stored, histories] = await Promise.all([
    policies.active(tx),
    clocksOf(tx, id),
    historiesOf(tx, [{ id }]),
  ]);
  const history = histories.get(id) ?? [];
  const lines = linesOf(services, active).filter(({ plan }) => plan.entity === kindName);
  const ended = kind.machine.ended.includes(state);
  const lastAt = history.at(-1)?.createdAt ?? "";
  const going = lines.flatMap((line) => {
    // What became of a ticket is not judged again by a policy that came, or was changed, after its end.
    if (ended && line.policy.updatedAt > lastAt) return [];
    const clock = clockOf(line, history, storedFor(line, stored));
    if (!clock?.everMatched) return [];
    return [shownOf(line, clock, now.getTime())];
  });
  const shownAlready = new Set(going.map(({ policyId, metric }) => `${policyId} ${metric}`));
  const left = stored.filter(({ policyId, metric }) => !shownAlready.has(`${policyId} ${metric}`));
  return [...going, ...left.map(leftOf)];
}

/** The history may no longer reach back to the beginning; what was worked out before does. */
function clockOf(
  { policy, plan }: Line,
  history: readonly RecordedEvent[],
  before: StoredClock | undefined,
): Clock | undefined {
  const whole = history[0]?.type.endsWith(".created") === true;
  if (!whole && before?.policyRevision === policy.revision) {
    return foldOn(plan, before.clock, eventsAfter(history, before.place));
  }
  return foldAll(plan, history);
}

function shownOf({ policy, plan }: Line, clock: Clock, nowMs: number): SlaClock {
  return {
    policyId: policy.id,
    policyName: policy.name,
    ...timesOf(plan, clock, nowMs),
    startedAt: new Date(clock.startedAt).toISOString(),
    timeline: [...clock.timeline],
  };
}

function timesOf(plan: Plan, clock: Clock, nowMs: number) {
  const view = viewAt(plan, clock, nowMs);
  return {
    metric: plan.metric,
    ...view,
    targetMinutes: plan.targetMs / MINUTE_MS,
    dueAt: isoOf(view.dueAt),
    warnedAt: isoOf(view.warnedAt),
    breachedAt: isoOf(view.breachedAt),
    stoppedAt: isoOf(clock.stoppedAt),
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
  lines: readonly Line[],
  nowMs: number,
): BoardClock {
  const ticket = { kind: stored.kind, id: stored.ticketId, ...stored.ticket };
  const line = lines.find((one) => storedFor(one, [stored]));
  const plain = plainOf(stored);
  if (line?.policy.revision !== stored.policyRevision) return { ...plain, ticket };
  return { ...plain, ...timesOf(line.plan, stored.clock, nowMs), ticket };
}
