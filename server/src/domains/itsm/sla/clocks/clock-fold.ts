/**
 * An SLA clock is a fold over its ticket's events: policy, metric and events determine it, so that it can
 * be recomputed at any time, and explained. Nothing here reads the current time.
 *
 * Time is counted whether or not the policy matches, so that a policy that matches later has counted from
 * the beginning; `matched` says whether the clock counts for anything, and `left` what it showed when its
 * policy ceased to match.
 */
import { TICKET_KINDS, type TicketKindName } from "../../tickets/index.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { payloadOf } from "#kernel/log/event-subject.ts";
import type { BusinessTime } from "../business-hours.ts";
import type { Metric } from "../policy.ts";

/** A target of a policy, compiled. */
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

export type ClockChange =
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
  readonly change: ClockChange;
  readonly elapsedMs: number;
}

/** The counts of a clock at an instant. */
interface Milestones {
  readonly elapsedMs: number;
  readonly warnedAt: number | null;
  readonly breachedAt: number | null;
}

/** Instants are milliseconds. */
export interface SlaClockState {
  readonly startedAt: number;
  /** Of the last event. */
  readonly at: number;
  /** The ticket's state after the transaction that created it. */
  readonly firstState: string;
  /** The transaction that created the ticket. */
  readonly madeIn: string;
  /** Ids of the people who raised it, from the ticket and from the log; none where an automation did. */
  readonly creators: readonly string[];
  /** Ids of those whom an answer is for: the caller, or those who raised it. */
  readonly askerIds: readonly string[];
  readonly elapsedMs: number;
  /** Null while nothing is counted. */
  readonly countingSince: number | null;
  readonly stoppedAt: number | null;
  /** When the ticket was cancelled, which ends the obligation. */
  readonly cancelledAt: number | null;
  readonly matched: boolean;
  readonly everMatched: boolean;
  /** Null while the policy matches, and before it ever did. */
  readonly left: Milestones | null;
  /** When the warning share and the target were used up, as far as the events tell. */
  readonly warnedAt: number | null;
  readonly breachedAt: number | null;
  readonly timeline: readonly TimelineEntry[];
}

/** More entries would not explain a ticket that changes state all day any better. */
const TIMELINE_ENTRIES_MAX = 300;

/** The states in which the work is over; a ticket that leaves them goes on where it was. */
const RESOLVED_STATES: Readonly<Record<TicketKindName, ReadonlySet<string>>> = {
  incident: new Set(["resolved", "closed"]),
  change: new Set(["completed", "rolled_back", "rejected"]),
  problem: new Set(["resolved", "closed"]),
  request: new Set(["fulfilled", "rejected"]),
};
/**
 * The states that answer whoever waits for a response, since they are told of them. A problem has no
 * caller: work on it is the response.
 */
const ANSWERED_STATES: Readonly<Record<TicketKindName, ReadonlySet<string>>> = {
  incident: RESOLVED_STATES.incident,
  change: new Set([...RESOLVED_STATES.change, "approved", "implementing"]),
  problem: new Set([...RESOLVED_STATES.problem, "investigating", "known_error"]),
  request: new Set([...RESOLVED_STATES.request, "approved", "fulfilling", "failed"]),
};
const CANCELLED_STATE = "cancelled";

/** Emitted by the announcer; they change no clock. */
const SLA_EVENT_TYPES = /\.sla_(breached|warning)$/;

/** The kind of ticket that an event is about; undefined where it concerns no clock. */
export function ticketKindOf({ topic, type, resource }: RecordedEvent): TicketKindName | undefined {
  // A published message may bear any type, but its resource is not a ticket.
  if (resource.type !== topic || SLA_EVENT_TYPES.test(type)) return undefined;
  return TICKET_KINDS.find((kind) => kind === topic);
}

/** The ticket after an event, for those events that carry it whole. */
export function ticketFromEvent(event: RecordedEvent): Ticket | undefined {
  const payload = payloadOf(event);
  return isTicket(payload) && payload.id === event.resource.id ? payload : undefined;
}

/** Folds a ticket's events into its clock, from the beginning or on from `clock`; undefined where none carries the ticket. */
export function foldEvents(
  plan: ClockPlan,
  events: readonly RecordedEvent[],
  clock?: SlaClockState,
): SlaClockState | undefined {
  return events.reduce((before, event) => {
    if (ticketKindOf(event) !== plan.entity) return before;
    return before ? applyEvent(plan, before, event) : startClock(plan, event);
  }, clock);
}

/** Business time used up at an instant, if nothing happens until then. */
export function elapsedAt({ time }: ClockPlan, clock: SlaClockState, atMs: number): number {
  const { countingSince, elapsedMs } = clock;
  return countingSince === null ? elapsedMs : elapsedMs + time.elapsed(countingSince, atMs);
}

/** The instant at which an amount of business time is used up, if nothing happens until then; undefined when never. */
export function instantAtElapsed(
  { time }: ClockPlan,
  clock: SlaClockState,
  amountMs: number,
): number | undefined {
  const { countingSince, elapsedMs } = clock;
  if (countingSince === null) return undefined;
  return time.after(countingSince, amountMs - elapsedMs);
}

function startClock(plan: ClockPlan, event: RecordedEvent): SlaClockState | undefined {
  const ticket = ticketFromEvent(event);
  if (!ticket) return undefined;
  const { createdAt } = ticket;
  const creators = findCreators(ticket, event);
  const at = Date.parse(event.createdAt);
  // Retention may have removed the log before this event: then the ticket says when it was created.
  const created = event.type.endsWith(".created") ? event.createdAt : createdAt;
  const startedAt = typeof created === "string" ? Math.min(at, Date.parse(created)) : at;
  const clock: SlaClockState = {
    startedAt,
    at: startedAt,
    firstState: ticket.state,
    madeIn: transactionOf(event),
    creators,
    askerIds: selectAskers(ticket, creators),
    elapsedMs: 0,
    countingSince: startedAt,
    stoppedAt: null,
    cancelledAt: null,
    matched: false,
    everMatched: false,
    left: null,
    warnedAt: null,
    breachedAt: null,
    timeline: [],
  };
  const matched = plan.matches(ticket);
  const started = addTimelineEntry({ ...clock, matched, everMatched: matched }, event, "started");
  return applyTicketState(plan, advanceTime(plan, started, at), { event, state: ticket.state });
}

function applyEvent(plan: ClockPlan, clock: SlaClockState, event: RecordedEvent): SlaClockState {
  // Transactions commit in another order than they begin: time goes on in the order of the log.
  const at = Math.max(clock.at, Date.parse(event.createdAt));
  const ticket = ticketFromEvent(event);
  const passed = advanceTime(plan, clock, at);
  if (!ticket) return applyComment(plan, passed, event);
  // A state set by the creating transaction, such as a request's pending approval, is no response.
  const isCreation = transactionOf(event) === clock.madeIn;
  const asked = { ...passed, askerIds: selectAskers(ticket, passed.creators) };
  const later = isCreation ? { ...asked, firstState: ticket.state } : asked;
  return applyConditions(plan, applyTicketState(plan, later, { event, state: ticket.state }), {
    event,
    ticket,
  });
}

/** Advances a clock to an instant without any event. */
function advanceTime(plan: ClockPlan, clock: SlaClockState, at: number): SlaClockState {
  if (clock.countingSince === null) return { ...clock, at };
  const passedAt = (amountMs: number): number | null => {
    const instant = instantAtElapsed(plan, clock, amountMs);
    // An event at the very deadline is in time.
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

/** Starts, pauses or stops counting by the ticket's state. */
function applyTicketState(
  plan: ClockPlan,
  clock: SlaClockState,
  { event, state }: { readonly event: RecordedEvent; readonly state: string },
): SlaClockState {
  const { at, countingSince, stoppedAt, cancelledAt } = clock;
  const isResponse = plan.metric === "response";
  if (cancelledAt !== null || (isResponse && stoppedAt !== null)) return clock;
  if (state === CANCELLED_STATE) {
    return addTimelineEntry({ ...clock, cancelledAt: at, countingSince: null }, event, "cancelled");
  }
  const isOver = isResponse
    ? state !== clock.firstState && ANSWERED_STATES[plan.entity].has(state)
    : RESOLVED_STATES[plan.entity].has(state);
  if (isOver) {
    if (stoppedAt !== null) return clock;
    return addTimelineEntry({ ...clock, stoppedAt: at, countingSince: null }, event, "stopped");
  }
  const paused = plan.pauseOn.has(state);
  const counting = { ...clock, stoppedAt: null, countingSince: paused ? null : at };
  if (stoppedAt !== null) return addTimelineEntry(counting, event, paused ? "paused" : "restarted");
  if (paused === (countingSince === null)) return clock;
  return addTimelineEntry(counting, event, paused ? "paused" : "resumed");
}

/** Stops a response clock at the first public comment of an agent to whoever waits for an answer. */
function applyComment(plan: ClockPlan, clock: SlaClockState, event: RecordedEvent): SlaClockState {
  const open = clock.stoppedAt === null && clock.cancelledAt === null;
  if (plan.metric !== "response" || !open) return clock;
  if (event.type !== `${plan.entity}.comment_added` || !isAnswer(clock, event)) return clock;
  return addTimelineEntry({ ...clock, stoppedAt: clock.at, countingSince: null }, event, "stopped");
}

/** True of a public comment by somebody who works on such tickets, and does not wait for the answer. */
function isAnswer({ askerIds }: SlaClockState, { data, actor }: RecordedEvent): boolean {
  const isPerson = actor.type === "user" || actor.type === "api_token";
  // Comments of earlier versions do not say by whom they are.
  const isAgent = data["byAgent"] !== false;
  const isAsker = askerIds.includes(actor.id) || askerIds.includes(String(data["createdBy"]));
  return data["internal"] === false && isPerson && isAgent && !isAsker;
}

/** The people who raised a ticket; an automation acts for somebody who need not know of it. */
function findCreators({ createdBy }: Ticket, { actor }: RecordedEvent): readonly string[] {
  if (actor.type === "workflow" || actor.type === "system") return [];
  return typeof createdBy === "string" ? [createdBy, actor.id] : [actor.id];
}

/** The people who wait for an answer: whoever it was raised for, or those who raised it. */
function selectAskers(ticket: Ticket, creators: readonly string[]): readonly string[] {
  const named = ticket["callerId"] ?? ticket["requestedFor"];
  return typeof named === "string" ? [named] : creators;
}

function applyConditions(
  plan: ClockPlan,
  clock: SlaClockState,
  { event, ticket }: { readonly event: RecordedEvent; readonly ticket: Ticket },
): SlaClockState {
  const matched = plan.matches(ticket);
  if (matched === clock.matched) return clock;
  const { elapsedMs, warnedAt, breachedAt } = clock;
  const left = matched ? null : { elapsedMs, warnedAt, breachedAt };
  const changed = { ...clock, matched, everMatched: true, left };
  return addTimelineEntry(changed, event, matched ? "policy_matched" : "policy_left");
}

function addTimelineEntry(
  clock: SlaClockState,
  event: RecordedEvent,
  change: ClockChange,
): SlaClockState {
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
