/**
 * A clock is a fold over what happened to its ticket: the policy, the metric and the ticket's events
 * say all of it, so that it can be worked out anew at any time, and explained. Nothing here knows what
 * time it is now.
 *
 * Time is counted whether or not the policy matches, so that one that begins to match later has counted
 * from the beginning; `matched` says whether the clock is to be taken notice of.
 */
import { TICKET_KINDS, type TicketKindName } from "../../tickets/index.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { payloadOf } from "#kernel/log/event-subject.ts";
import type { BusinessTime } from "../business-hours.ts";
import type { Metric } from "../policy.ts";

/** What a clock has to know of its policy. */
export interface ClockPlan {
  readonly entity: TicketKindName;
  readonly matches: (ticket: Ticket) => boolean;
  readonly pauseOn: ReadonlySet<string>;
  readonly time: BusinessTime;
  readonly metric: Metric;
  readonly targetMs: number;
  readonly warnMs: number;
}

export type Ticket = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly state: string;
};

export type Change =
  | "started"
  | "paused"
  | "resumed"
  | "stopped"
  | "restarted"
  | "cancelled"
  | "policy_matched"
  | "policy_left";

export interface TimelineEntry {
  readonly at: string;
  readonly eventId: string;
  readonly change: Change;
  readonly elapsedMs: number;
}

/** Instants are milliseconds. */
export interface SlaClockState {
  readonly startedAt: number;
  /** Of the last event. */
  readonly at: number;
  /** The state in which those left the ticket who made it. */
  readonly firstState: string;
  /** The transaction in which it was made. */
  readonly madeIn: string;
  /** Who raised it, in the words of the ticket and of the log. */
  readonly creators: readonly string[];
  readonly elapsedMs: number;
  /** Null while nothing is counted. */
  readonly countingSince: number | null;
  readonly stoppedAt: number | null;
  /** The ticket was cancelled: there is nothing to be kept any more. */
  readonly cancelledAt: number | null;
  readonly matched: boolean;
  readonly everMatched: boolean;
  /** When so much was used up, as far as the events tell. */
  readonly warnedAt: number | null;
  readonly breachedAt: number | null;
  readonly timeline: readonly TimelineEntry[];
}

/** A ticket that goes to and fro all day is not explained better by more. */
const TIMELINE_ENTRIES_MAX = 300;

/** The states in which the work is over; a ticket that leaves them goes on where it was. */
const RESOLVED: Readonly<Record<TicketKindName, ReadonlySet<string>>> = {
  incident: new Set(["resolved", "closed"]),
  change: new Set(["completed", "rolled_back", "rejected"]),
  problem: new Set(["resolved", "closed"]),
  request: new Set(["fulfilled", "rejected"]),
};
const CANCELLED = "cancelled";

/** What the clocks themselves say, which is no news to them. */
const OWN = /\.sla_(breached|warning)$/;

/** Which kind of ticket an event is about; undefined for what is nothing to a clock. */
export function kindOf({ topic, type, resource }: RecordedEvent): TicketKindName | undefined {
  // What somebody published may be called as they like, but is a message.
  if (resource.type !== topic || OWN.test(type)) return undefined;
  return TICKET_KINDS.find((kind) => kind === topic);
}

/** The ticket as it is after an event, for those events that tell it whole. */
export function ticketFromEvent(event: RecordedEvent): Ticket | undefined {
  const payload = payloadOf(event);
  return isTicket(payload) && payload.id === event.resource.id ? payload : undefined;
}

/** The clock after all of a ticket's events; undefined where none of them tells the ticket. */
export function foldEvents(
  plan: ClockPlan,
  events: readonly RecordedEvent[],
): SlaClockState | undefined {
  return foldEvent(plan, undefined, events);
}

/** The clock after further events. */
export function foldEvent(
  plan: ClockPlan,
  clock: SlaClockState | undefined,
  events: readonly RecordedEvent[],
): SlaClockState | undefined {
  return events.reduce((before, event) => {
    if (kindOf(event) !== plan.entity) return before;
    return before ? next(plan, before, event) : begin(plan, event);
  }, clock);
}

/** What is used up at an instant, if nothing happens until then. */
export function elapsedAt({ time }: ClockPlan, clock: SlaClockState, atMs: number): number {
  const { countingSince, elapsedMs } = clock;
  return countingSince === null ? elapsedMs : elapsedMs + time.elapsed(countingSince, atMs);
}

/** When so much will be used up, if nothing happens until then; undefined when that is never. */
export function parseInstant(
  { time }: ClockPlan,
  clock: SlaClockState,
  amountMs: number,
): number | undefined {
  const { countingSince, elapsedMs } = clock;
  if (countingSince === null) return undefined;
  return time.after(countingSince, amountMs - elapsedMs);
}

function begin(plan: ClockPlan, event: RecordedEvent): SlaClockState | undefined {
  const ticket = ticketFromEvent(event);
  if (!ticket) return undefined;
  const { createdAt, createdBy } = ticket;
  const at = Date.parse(event.createdAt);
  // The log before the first event may be gone: then the ticket itself says when it was made.
  const created = event.type.endsWith(".created") ? event.createdAt : createdAt;
  const startedAt = typeof created === "string" ? Math.min(at, Date.parse(created)) : at;
  const blank: SlaClockState = {
    startedAt,
    at: startedAt,
    firstState: ticket.state,
    madeIn: transactionOf(event),
    creators: typeof createdBy === "string" ? [createdBy, event.actor.id] : [event.actor.id],
    elapsedMs: 0,
    countingSince: startedAt,
    stoppedAt: null,
    cancelledAt: null,
    matched: false,
    everMatched: false,
    warnedAt: null,
    breachedAt: null,
    timeline: [],
  };
  const matched = plan.matches(ticket);
  const started = noted({ ...blank, matched, everMatched: matched }, event, "started");
  return moved(plan, advanced(plan, started, at), { event, state: ticket.state });
}

function next(plan: ClockPlan, clock: SlaClockState, event: RecordedEvent): SlaClockState {
  // Nodes begin acts a little before they are written: time goes on in the order of the log.
  const at = Math.max(clock.at, Date.parse(event.createdAt));
  const ticket = ticketFromEvent(event);
  const passed = advanced(plan, clock, at);
  if (!ticket) return answered(plan, passed, event);
  // What comes with its making, such as that a request goes to those who approve it, is no response.
  const isMaking = transactionOf(event) === clock.madeIn;
  const later = isMaking ? { ...passed, firstState: ticket.state } : passed;
  return matching(plan, moved(plan, later, { event, state: ticket.state }), { event, ticket });
}

/** Nothing but time has passed. */
function advanced(plan: ClockPlan, clock: SlaClockState, at: number): SlaClockState {
  if (clock.countingSince === null) return { ...clock, at };
  const passedAt = (amountMs: number): number | null => {
    const instant = parseInstant(plan, clock, amountMs);
    // What happens at the very deadline is in time.
    return instant !== undefined && instant < at ? instant : null;
  };
  return {
    ...clock,
    at,
    elapsedMs: elapsedAt(plan, clock, at),
    countingSince: at,
    warnedAt: clock.warnedAt ?? passedAt(plan.warnMs),
    breachedAt: clock.breachedAt ?? passedAt(plan.targetMs),
  };
}

/** The ticket's state says whether time is counted from here on. */
function moved(
  plan: ClockPlan,
  clock: SlaClockState,
  { event, state }: { readonly event: RecordedEvent; readonly state: string },
): SlaClockState {
  const { at, countingSince, stoppedAt, cancelledAt } = clock;
  const isResponse = plan.metric === "response";
  if (cancelledAt !== null || (isResponse && stoppedAt !== null)) return clock;
  if (state === CANCELLED) {
    return noted({ ...clock, cancelledAt: at, countingSince: null }, event, "cancelled");
  }
  const over = isResponse ? state !== clock.firstState : RESOLVED[plan.entity].has(state);
  if (over) {
    if (stoppedAt !== null) return clock;
    return noted({ ...clock, stoppedAt: at, countingSince: null }, event, "stopped");
  }
  const paused = plan.pauseOn.has(state);
  const going = { ...clock, stoppedAt: null, countingSince: paused ? null : at };
  if (stoppedAt !== null) return noted(going, event, paused ? "paused" : "restarted");
  if (paused === (countingSince === null)) return clock;
  return noted(going, event, paused ? "paused" : "resumed");
}

/** A public word of somebody else is a response. */
function answered(plan: ClockPlan, clock: SlaClockState, event: RecordedEvent): SlaClockState {
  const { data, actor } = event;
  const isAnswer =
    event.type === `${plan.entity}.comment_added` &&
    data["internal"] === false &&
    !clock.creators.includes(actor.id) &&
    !clock.creators.includes(String(data["createdBy"]));
  const open = clock.stoppedAt === null && clock.cancelledAt === null;
  if (!isAnswer || plan.metric !== "response" || !open) return clock;
  return noted({ ...clock, stoppedAt: clock.at, countingSince: null }, event, "stopped");
}

function matching(
  plan: ClockPlan,
  clock: SlaClockState,
  { event, ticket }: { readonly event: RecordedEvent; readonly ticket: Ticket },
): SlaClockState {
  const matched = plan.matches(ticket);
  if (matched === clock.matched) return clock;
  const changed = { ...clock, matched, everMatched: true };
  return noted(changed, event, matched ? "policy_matched" : "policy_left");
}

function noted(clock: SlaClockState, event: RecordedEvent, change: Change): SlaClockState {
  const at = new Date(clock.at).toISOString();
  const entry = { at, eventId: event.id, change, elapsedMs: clock.elapsedMs };
  const [first, ...rest] = [...clock.timeline, entry];
  const timeline =
    first && rest.length >= TIMELINE_ENTRIES_MAX
      ? [first, ...rest.slice(1 - TIMELINE_ENTRIES_MAX)]
      : [...clock.timeline, entry];
  return { ...clock, timeline };
}

function transactionOf({ position: { epoch }, transaction }: RecordedEvent): string {
  return `${epoch} ${transaction}`;
}

function isTicket(value: unknown): value is Ticket {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    "state" in value &&
    typeof value.state === "string"
  );
}
