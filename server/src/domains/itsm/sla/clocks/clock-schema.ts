import Type, { type Static } from "typebox";
import {
  getTicketIdentity,
  ticketKinds,
  TICKET_KINDS,
  type TicketKindName,
} from "../../tickets/index.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { listByTicket, type StoredClock } from "./store.ts";
import { type SlaClockState, foldEvents, type ClockPlan } from "./clock-fold.ts";
import { compileTargets, findStoredClock, type PolicyTarget } from "./policy-targets.ts";
import { readTicketHistories } from "./ticket-history.ts";
import { eventsAfter, toIso } from "./clock-row.ts";
import { METRICS, PolicyId } from "../policy.ts";
import { assertCanSee } from "./clock-access.ts";
import { listActivePolicies } from "../policy-resource.ts";
import { CLOCK_STATES, clockStateAt } from "./clock-state.ts";

const MINUTE_MS = 60_000;

/** The revision that a migration sets on clocks folded with other rules. No policy has it. */
const EARLIER_RULES = 0;

const clockFields = {
  policyId: PolicyId,
  policyName: Type.String(),
  metric: Type.Enum([...METRICS]),
  name: Type.String({ description: "Id of the target, unique within its policy" }),
  state: Type.Enum([...CLOCK_STATES], {
    description:
      "`breached` remains after the end of the work. `cancelled`: the ticket was cancelled, or the policy no longer matches",
  }),
  counting: Type.Boolean({ description: "Whether the clock is running" }),
  targetMinutes: Type.Number(),
  elapsedMs: Type.Integer({ description: "Used business time" }),
  remainingMs: Type.Integer(),
  dueAt: nullable(
    Type.String({
      format: "date-time",
      description: "Due time if nothing happens until then. Null while the clock is paused",
    }),
  ),
  warnedAt: nullable(Time),
  breachedAt: nullable(Time),
  stoppedAt: nullable(Time),
  lateRounds: Type.Integer({
    description: "Number of breaches before the last reset of the clock, for example late replies",
  }),
};

const TimelineEntrySchema = Type.Object(
  {
    at: Time,
    eventId: Type.String(),
    change: Type.Enum([
      "started",
      "paused",
      "resumed",
      "stopped",
      "restarted",
      "reset",
      "cancelled",
      "policy_matched",
      "policy_left",
    ]),
    elapsedMs: Type.Integer({ description: "Used time at this point" }),
  },
  { title: "SlaTimelineEntry" },
);

export const SlaClock = Type.Object(
  { ...clockFields, startedAt: Time, timeline: Type.Array(TimelineEntrySchema) },
  { title: "SlaClock" },
);
export type SlaClock = Static<typeof SlaClock>;

/** A listed clock with its ticket. */
export const ClockListItem = Type.Object(
  {
    ...clockFields,
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

/** Folds the clocks of a ticket from the current log. */
export async function readTicketClocks(
  ctx: ReadContext,
  kindName: TicketKindName,
  ref: string,
): Promise<SlaClock[]> {
  const { tx, services, now } = ctx;
  const kind = ticketKinds(services).find(({ kind: name }) => name === kindName);
  if (!kind) throw new Failure(NotFound);
  assertCanSee(kind, ctx);
  const { id, state } = await getTicketIdentity(ctx, kind, ref);
  const [active, stored, histories] = await Promise.all([
    listActivePolicies(tx),
    listByTicket(tx, id),
    readTicketHistories(tx, [{ id }]),
  ]);
  const history = histories.get(id) ?? [];
  const targets = compileTargets(services, active).filter(({ plan }) => plan.entity === kindName);
  const ended = kind.machine.finalStates.includes(state);
  const lastAt = history.at(-1)?.createdAt ?? "";
  const current = targets.flatMap((target) => {
    const before = findStoredClock(target, stored);
    // A policy created or changed after the end of a ticket does not change its result, and neither do fold rules
    // changed by an update of the product.
    const isJudged = target.policy.updatedAt > lastAt || before?.policyRevision === EARLIER_RULES;
    if (ended && isJudged) return [];
    const clock = foldClock(target, history, before);
    if (!clock?.everMatched) return [];
    return [toSlaClock(target, clock, now.getTime())];
  });
  const currentKeys = new Set(current.map(({ policyId, name }) => `${policyId} ${name}`));
  const remaining = stored.filter(({ policyId, name }) => !currentKeys.has(`${policyId} ${name}`));
  return [...current, ...remaining.map(toStoppedClock)];
}

/** Folds the history, or continues from the stored clock if retention deleted a part of the history. */
function foldClock(
  { policy, plan }: PolicyTarget,
  history: readonly RecordedEvent[],
  before: StoredClock | undefined,
): SlaClockState | undefined {
  const whole = history[0]?.type.endsWith(".created") === true;
  if (!whole && before?.policyRevision === policy.revision) {
    return foldEvents(plan, eventsAfter(history, before.position), before.clock);
  }
  return foldEvents(plan, history);
}

function toSlaClock({ policy, plan }: PolicyTarget, clock: SlaClockState, nowMs: number): SlaClock {
  return {
    policyId: policy.id,
    policyName: policy.name,
    ...clockTimes(plan, clock, nowMs),
    startedAt: new Date(clock.startedAt).toISOString(),
    timeline: [...clock.timeline],
  };
}

function clockTimes(plan: ClockPlan, clock: SlaClockState, nowMs: number) {
  const view = clockStateAt(plan, clock, nowMs);
  return {
    metric: plan.metric,
    name: plan.name,
    ...view,
    state: view.state === "met" && clock.lateRounds.length > 0 ? ("breached" as const) : view.state,
    lateRounds: clock.lateRounds.length,
    targetMinutes: plan.targetMs / MINUTE_MS,
    dueAt: toIso(view.dueAt),
    warnedAt: toIso(view.warnedAt),
    breachedAt: toIso(view.breachedAt),
    stoppedAt: toIso(clock.stoppedAt),
  };
}

/** The stored clock of an inactive or deleted policy. */
function toStoppedClock(stored: StoredClock): SlaClock {
  return {
    ...storedFieldsOf(stored),
    startedAt: new Date(stored.clock.startedAt).toISOString(),
    timeline: [...stored.clock.timeline],
  };
}

function storedFieldsOf({
  policyId,
  policyName,
  metric,
  name,
  state,
  clock,
  targetMs,
  ...stored
}: StoredClock) {
  const { elapsedMs } = clock;
  return {
    policyId,
    policyName,
    metric,
    name,
    state,
    lateRounds: clock.lateRounds.length,
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

/** A stored clock in a list, with the time passed since. */
export function toClockListItem(
  stored: StoredClock,
  targets: readonly PolicyTarget[],
  nowMs: number,
): ClockListItem {
  const ticket = { kind: stored.kind, id: stored.ticketId, ...stored.ticket };
  const target = targets.find((candidate) => findStoredClock(candidate, [stored]));
  const plain = storedFieldsOf(stored);
  if (target?.policy.revision !== stored.policyRevision) return { ...plain, ticket };
  return { ...plain, ...clockTimes(target.plan, stored.clock, nowMs), ticket };
}
