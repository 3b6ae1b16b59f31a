/**
 * Updates SLA clocks from the event log. The rows commit together with the cursor of the reader. New events are
 * usually folded into the stored clock. The complete history of a ticket is read only without a stored clock, or
 * after a policy change.
 */
import type { RecordedEvent } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { lockClocks, save, type StoredClock } from "./store.ts";
import { type SlaClockState, foldEvents, ticketKindOf, ticketFromEvent } from "./clock-fold.ts";
import { readTicketHistories } from "./ticket-history.ts";
import { eventsAfter, ticketFieldsOf, toStoredClock } from "./clock-row.ts";
import { compileTargets, findStoredClock, type PolicyTarget } from "./policy-targets.ts";
import { emitBreach, emitCancelled, hasLeft } from "../alerts.ts";
import { IncidentSlaBreached, SlaBreached, SlaCancelled } from "../breach-events.ts";
import { listActivePolicies } from "../policy-resource.ts";

export const CLOCK_READER = "sla.clocks";

/** Writes the clocks of tickets when their events arrive. */
export const clockReader = reader({
  name: CLOCK_READER,
  on: ["incident.*", "change.*", "problem.*", "request.*"],
  startsAt: "beginning",
  emits: [SlaCancelled, SlaBreached, IncidentSlaBreached],
  async handle(ctx, events) {
    const { tx, now, services } = ctx;
    const relevant = events.filter((event) => ticketKindOf(event) !== undefined);
    const last = relevant.at(-1);
    if (!last) return;
    const targets = compileTargets(services, await listActivePolicies(tx));
    if (targets.length === 0) return;
    const byTicket = Map.groupBy(relevant, ({ resource }) => resource.id);
    const stored = Map.groupBy(
      await lockClocks(tx, [...byTicket.keys()]),
      ({ ticketId }) => ticketId,
    );
    const tickets = [...byTicket].map(([id, events]) => ({
      id,
      events,
      stored: stored.get(id) ?? [],
    }));
    const unknown = tickets.filter((ticket) =>
      targets.some((target) => needsHistory(target, ticket)),
    );
    const histories = await readTicketHistories(
      tx,
      unknown.map(({ id }) => ({ id })),
      last.position,
    );
    const clocks = tickets.flatMap((ticket) =>
      targets.flatMap((target) =>
        clocksToSave(target, { ...ticket, history: histories.get(ticket.id) ?? [] }, now.getTime()),
      ),
    );
    await save(tx, clocks, now);
    for (const clock of clocks) {
      const before = stored.get(clock.ticketId)?.find((one) => isSameClock(one, clock));
      const cause = ctx.because(findCause(clock, relevant, last));
      if (hasLeft(before, clock)) emitCancelled(cause, clock);
      const { ticket } = clock;
      const isNew = byTicket.get(clock.ticketId)?.[0]?.type.endsWith(".created") === true;
      for (const dueAt of before || isNew ? listUntoldBreaches(before, clock) : []) {
        emitBreach(cause, clock, { dueAt: new Date(dueAt).toISOString(), percent: 100, ticket });
      }
    }
  },
});

/**
 * Missed deadlines of rounds that ended in this batch before the announcer could report them. A recomputed clock
 * reports no past deadlines.
 */
function listUntoldBreaches(
  before: StoredClock | undefined,
  { clock, policyRevision }: StoredClock,
) {
  if (before && before.policyRevision !== policyRevision) return [];
  const known = before?.clock.lateRounds.length ?? 0;
  const wasTold = before !== undefined && before.breachedAt !== null;
  const isNewRound = before?.clock.round !== clock.round;
  return clock.lateRounds.slice(known + (wasTold && isNewRound ? 1 : 0));
}

/** The event of the last timeline entry of a clock. */
function findCause(
  { clock: { timeline } }: StoredClock,
  events: readonly RecordedEvent[],
  last: RecordedEvent,
): RecordedEvent {
  const eventId = timeline.at(-1)?.eventId;
  return events.find(({ id }) => id === eventId) ?? last;
}

function isSameClock(one: StoredClock, other: StoredClock): boolean {
  return one.policyId === other.policyId && one.name === other.name;
}

interface TicketEvents {
  readonly id: string;
  /** The events of this batch. */
  readonly events: readonly RecordedEvent[];
  readonly stored: readonly StoredClock[];
}

function isAffected({ plan }: PolicyTarget, { events }: TicketEvents): boolean {
  return events.some((event) => ticketKindOf(event) === plan.entity);
}

function needsHistory(target: PolicyTarget, ticket: TicketEvents): boolean {
  if (!isAffected(target, ticket)) return false;
  const before = findStoredClock(target, ticket.stored);
  if (before) return before.policyRevision !== target.policy.revision;
  return !startsWithCreation(ticket) && matchesTicket(target, ticket);
}

function startsWithCreation({ events }: TicketEvents): boolean {
  return events[0]?.type.endsWith(".created") === true;
}

function matchesTicket({ plan }: PolicyTarget, { events }: TicketEvents): boolean {
  return events.some((event) => {
    const ticket = ticketFromEvent(event);
    return ticket !== undefined && plan.matches(ticket);
  });
}

function clocksToSave(
  target: PolicyTarget,
  ticket: TicketEvents & { readonly history: readonly RecordedEvent[] },
  nowMs: number,
): StoredClock[] {
  if (!isAffected(target, ticket)) return [];
  const { policy, plan } = target;
  const { id: ticketId, events } = ticket;
  const before = findStoredClock(target, ticket.stored);
  // Most policies do not match a ticket, and matching is cheaper than folding.
  if (!before && !matchesTicket(target, ticket)) return [];
  const clock = foldTicketClock(target, ticket, before);
  const fields = ticketFieldsOf(events) ?? before?.ticket ?? ticketFieldsOf(ticket.history);
  const position = events.at(-1)?.position;
  if (!clock || !fields || !position || (!before && !clock.everMatched)) return [];
  return [
    toStoredClock({ policy, plan, clock, ticketId, ticket: fields, position, before, nowMs }),
  ];
}

function foldTicketClock(
  { policy, plan }: PolicyTarget,
  ticket: TicketEvents & { readonly history: readonly RecordedEvent[] },
  before: StoredClock | undefined,
): SlaClockState | undefined {
  if (before?.policyRevision === policy.revision) {
    return foldEvents(plan, eventsAfter(ticket.events, before.position), before.clock);
  }
  return foldEvents(plan, startsWithCreation(ticket) ? ticket.events : ticket.history);
}
