import { eventIdOf, type LogPosition, type RecordedEvent } from "#kernel/log/event.ts";
import type { StoredClock, TicketFacts } from "./store.ts";
import {
  type SlaClockState,
  parseInstant,
  type ClockPlan,
  type Ticket,
  ticketFromEvent,
} from "./clock-fold.ts";
import type { SlaPolicy } from "../policy.ts";
import { nextDueAt, clockStateAt } from "./clock-state.ts";

/** What a clock is kept with. */
export interface ClockRow {
  readonly policy: SlaPolicy;
  readonly plan: ClockPlan;
  readonly clock: SlaClockState;
  readonly ticketId: string;
  readonly ticket: TicketFacts;
  readonly place: LogPosition;
  /** The clock as it was kept before. */
  readonly before: StoredClock | undefined;
  readonly nowMs: number;
}

/** The row of a clock. */
export function toClockRow(kept: ClockRow): StoredClock {
  const { policy, plan, clock, ticketId, ticket, place } = kept;
  const told = toldOf(kept);
  const warnAt = clock.warnedAt ?? parseInstant(plan, clock, plan.warnMs) ?? null;
  // As its last event left it: whatever time alone brings is told by whoever looks at it then.
  const { state, dueAt } = clockStateAt(plan, clock, clock.at);
  const known = { warned: told.warnedAt !== null, breached: told.breachedAt !== null };
  return {
    policyId: policy.id,
    policyName: policy.name,
    policyRevision: policy.revision,
    kind: plan.entity,
    ticketId,
    metric: plan.metric,
    state: known.breached && state !== "cancelled" ? "breached" : state,
    targetMs: plan.targetMs,
    clock,
    ticket,
    dueAt: toIso(dueAt),
    warnAt: toIso(warnAt),
    nextAt: toIso(nextDueAt(plan, clock, known)),
    ...told,
    stoppedAt: toIso(clock.stoppedAt),
    place,
  };
}

/**
 * What was told stays told. Under another version of the policy there is another deadline: only what is
 * past that one too counts as told, and what was over before is not told of.
 */
function toldOf({ policy, plan, clock, before, nowMs }: ClockRow) {
  if (!before) return { warnedAt: null, breachedAt: null };
  const { warnedAt, breachedAt, policyRevision } = before;
  if (policyRevision === policy.revision) return { warnedAt, breachedAt };
  const now = clockStateAt(plan, clock, nowMs);
  if (before.stoppedAt !== null && clock.stoppedAt !== null) {
    return { warnedAt, breachedAt: toIso(now.breachedAt) };
  }
  return {
    warnedAt: now.warnedAt === null ? null : warnedAt,
    breachedAt: now.breachedAt === null ? null : breachedAt,
  };
}

/** What is told of a ticket, as the last of these events has it. */
export function ticketFieldsOf(events: readonly RecordedEvent[]): TicketFacts | undefined {
  const ticket = events.map(ticketFromEvent).findLast((one) => one !== undefined);
  return ticket && factsOfTicket(ticket);
}

function factsOfTicket(ticket: Ticket): TicketFacts {
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

/** Those that come after a place in the log. */
export function eventsToEmit(
  events: readonly RecordedEvent[],
  place: LogPosition,
): readonly RecordedEvent[] {
  // Ids of events sort as the log does.
  const last = eventIdOf(place);
  return events.filter(({ id }) => id > last);
}

/** An instant as it is written. */
export function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
