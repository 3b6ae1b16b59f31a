import { eventIdOf, type Position, type RecordedEvent } from "#kernel/log/event.ts";
import type { StoredClock, TicketFacts } from "./store.ts";
import { type Clock, instantOf, type Plan, type Ticket, ticketIn } from "./clock-fold.ts";
import type { SlaPolicy } from "../policy.ts";
import { nextAt, viewAt } from "./clock-state.ts";

/** What a clock is kept with. */
export interface Kept {
  readonly policy: SlaPolicy;
  readonly plan: Plan;
  readonly clock: Clock;
  readonly ticketId: string;
  readonly ticket: TicketFacts;
  readonly place: Position;
  /** The clock as it was kept before. */
  readonly before: StoredClock | undefined;
  readonly nowMs: number;
}

/** The row of a clock. */
export function storedOf(kept: Kept): StoredClock {
  const { policy, plan, clock, ticketId, ticket, place } = kept;
  const told = toldOf(kept);
  const warnAt = clock.warnedAt ?? instantOf(plan, clock, plan.warnMs) ?? null;
  // As its last event left it: whatever time alone brings is told by whoever looks at it then.
  const { state, dueAt } = viewAt(plan, clock, clock.at);
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
    dueAt: isoOf(dueAt),
    warnAt: isoOf(warnAt),
    nextAt: isoOf(nextAt(plan, clock, known)),
    ...told,
    stoppedAt: isoOf(clock.stoppedAt),
    place,
  };
}

/**
 * What was told stays told. Under another version of the policy there is another deadline: only what is
 * past that one too counts as told, and what was over before is not told of.
 */
function toldOf({ policy, plan, clock, before, nowMs }: Kept) {
  if (!before) return { warnedAt: null, breachedAt: null };
  const { warnedAt, breachedAt, policyRevision } = before;
  if (policyRevision === policy.revision) return { warnedAt, breachedAt };
  const now = viewAt(plan, clock, nowMs);
  if (before.stoppedAt !== null && clock.stoppedAt !== null) {
    return { warnedAt, breachedAt: isoOf(now.breachedAt) };
  }
  return {
    warnedAt: now.warnedAt === null ? null : warnedAt,
    breachedAt: now.breachedAt === null ? null : breachedAt,
  };
}

/** What is told of a ticket, as the last of these events has it. */
export function factsOf(events: readonly RecordedEvent[]): TicketFacts | undefined {
  const ticket = events.map(ticketIn).findLast((one) => one !== undefined);
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
export function eventsAfter(
  events: readonly RecordedEvent[],
  place: Position,
): readonly RecordedEvent[] {
  // Ids of events sort as the log does.
  const last = eventIdOf(place);
  return events.filter(({ id }) => id > last);
}

/** An instant as it is written. */
export function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
