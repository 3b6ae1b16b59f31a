import { eventIdOf, type LogPosition, type RecordedEvent } from "#kernel/log/event.ts";
import type { StoredClock, TicketFields } from "./store.ts";
import {
  type SlaClockState,
  instantAtElapsed,
  type ClockPlan,
  type Ticket,
  ticketFromEvent,
} from "./clock-fold.ts";
import type { SlaPolicy } from "../policy.ts";
import { clockStateAt, countWarnings, nextDueAt } from "./clock-state.ts";

/** The input for the row of a clock. */
export interface ClockInput {
  readonly policy: SlaPolicy;
  readonly plan: ClockPlan;
  readonly clock: SlaClockState;
  readonly ticketId: string;
  readonly ticket: TicketFields;
  readonly position: LogPosition;
  /** The current row. */
  readonly before: StoredClock | undefined;
  readonly nowMs: number;
}

export function toStoredClock(input: ClockInput): StoredClock {
  const { policy, plan, clock, ticketId, ticket, position } = input;
  const announced = announcedAt(input);
  const warnAt = clock.matched
    ? (clock.warnedAt ?? instantAtElapsed(plan, clock, plan.warningsMs[0] ?? plan.targetMs) ?? null)
    : null;
  // The state after its last event. The announcer and readers add the effects of time.
  const { state, dueAt } = clockStateAt(plan, clock, clock.at);
  const known = { warnings: announced.warnings, breached: announced.breachedAt !== null };
  const isLate = known.breached || (state === "met" && clock.lateRounds.length > 0);
  return {
    policyId: policy.id,
    policyName: policy.name,
    policyRevision: policy.revision,
    kind: plan.entity,
    ticketId,
    metric: plan.metric,
    name: plan.name,
    state: isLate && state !== "cancelled" ? "breached" : state,
    targetMs: plan.targetMs,
    clock,
    ticket,
    dueAt: toIso(dueAt),
    warnAt: toIso(warnAt),
    nextAt: toIso(nextDueAt(plan, clock, known)),
    ...announced,
    stoppedAt: toIso(clock.stoppedAt),
    position,
  };
}

/**
 * Announced milestones stay announced. After a policy change only milestones past the new deadline stay, and work
 * that ended before is not announced.
 */
function announcedAt({ policy, plan, clock, before, nowMs }: ClockInput) {
  // A new round has no announcements yet.
  if (!before || before.clock.round !== clock.round) {
    return { warnings: 0, warnedAt: null, breachedAt: null };
  }
  const { warnings, warnedAt, breachedAt, policyRevision } = before;
  if (policyRevision === policy.revision) return { warnings, warnedAt, breachedAt };
  const now = clockStateAt(plan, clock, nowMs);
  if (before.stoppedAt !== null && clock.stoppedAt !== null) {
    return { warnings, warnedAt, breachedAt: toIso(now.breachedAt) };
  }
  return {
    warnings: Math.min(warnings, countWarnings(plan, now.elapsedMs)),
    warnedAt: now.warnedAt === null ? null : warnedAt,
    breachedAt: now.breachedAt === null ? null : breachedAt,
  };
}

/** The ticket fields for alerts, from the last event that contains them. */
export function ticketFieldsOf(events: readonly RecordedEvent[]): TicketFields | undefined {
  const ticket = events.map(ticketFromEvent).findLast((fields) => fields !== undefined);
  return ticket && toTicketFields(ticket);
}

function toTicketFields(ticket: Ticket): TicketFields {
  const textOf = (field: string): string | null => {
    const value = ticket[field];
    return typeof value === "string" ? value : null;
  };
  const { priority } = ticket;
  return {
    number: textOf("number"),
    title: textOf("title"),
    state: ticket.state,
    priority: typeof priority === "number" ? priority : null,
    assigneeId: textOf("assigneeId"),
    teamId: textOf("teamId"),
  };
}

/** Filters the events after a log position. */
export function eventsAfter(
  events: readonly RecordedEvent[],
  position: LogPosition,
): readonly RecordedEvent[] {
  // Event ids sort in log order.
  const last = eventIdOf(position);
  return events.filter(({ id }) => id > last);
}

/** Formats an instant. */
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
