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
import type { BusinessTime } from "../calendars/business-hours.ts";
import { findCreators, isAnswer, isQuestion, selectAskers } from "./conversation.ts";
import type { CountedFrom, Metric } from "../policy.ts";

/** A target of a policy, compiled. */
export interface ClockPlan {
  readonly entity: TicketKindName;
  readonly matches: TicketTest;
  readonly pauseOn: ReadonlySet<string>;
  readonly time: BusinessTime;
  readonly metric: Metric;
  /** Unique within the policy. */
  readonly name: string;
  /** `match`: time counts only while the policy matches, and the clock stops when it ceases to. */
  readonly from: CountedFrom;
  readonly startWhen: TicketTest | undefined;
  readonly pauseWhen: TicketTest | undefined;
  readonly stopWhen: TicketTest | undefined;
  readonly resetWhen: TicketTest | undefined;
  readonly targetMs: number;
  /** Ascending; at least one. */
  readonly warningsMs: readonly number[];
}

type TicketTest = (ticket: Ticket) => boolean;

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
  | "reset"
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
  /** False until its start condition held, or its policy matched, where it waits for that. */
  readonly hasStarted: boolean;
  /** True while the ticket's state or the pause condition lets no time pass. */
  readonly isPaused: boolean;
  /** True while the work on the ticket is over. */
  readonly isOver: boolean;
  /** True while the reset condition holds: only its beginning resets. */
  readonly isResetHeld: boolean;
  /** How often it began anew from nothing. */
  readonly round: number;
  /** When the deadlines of earlier rounds passed. */
  readonly lateRounds: readonly number[];
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

/** More late rounds than a conversation has. */
const LATE_ROUNDS_MAX = 500;

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

/**
 * Folds a ticket's events into its clock, from the beginning or on from `clock`; undefined where none carries the
 * ticket.
 */
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
  const hasStarted = plan.from === "creation" && plan.startWhen === undefined;
  const clock: SlaClockState = {
    startedAt,
    at: startedAt,
    firstState: ticket.state,
    madeIn: transactionOf(event),
    creators,
    askerIds: selectAskers(ticket, creators),
    elapsedMs: 0,
    countingSince: hasStarted ? startedAt : null,
    stoppedAt: null,
    hasStarted,
    isPaused: false,
    isOver: false,
    isResetHeld: false,
    round: 0,
    lateRounds: [],
    cancelledAt: null,
    matched: plan.matches(ticket),
    everMatched: false,
    left: null,
    warnedAt: null,
    breachedAt: null,
    timeline: [],
  };
  const started = hasStarted ? addTimelineEntry(clock, event, "started") : clock;
  return markMatched(applyTicketState(plan, advanceTime(plan, started, at), { event, ticket }));
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
  const moment = { event, ticket };
  return markMatched(applyConditions(plan, applyTicketState(plan, later, moment), moment));
}

/** A clock counts for something once its policy matches and it has started. */
function markMatched(clock: SlaClockState): SlaClockState {
  return { ...clock, everMatched: clock.everMatched || (clock.matched && clock.hasStarted) };
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
    warnedAt: clock.warnedAt ?? passedAt(plan.warningsMs[0] ?? plan.targetMs),
    breachedAt: clock.breachedAt ?? passedAt(plan.targetMs),
  };
}

/** An event that carries its ticket. */
interface Moment {
  readonly event: RecordedEvent;
  readonly ticket: Ticket;
}

/** Starts, resets, pauses, stops or cancels a clock by its ticket. */
function applyTicketState(plan: ClockPlan, clock: SlaClockState, moment: Moment): SlaClockState {
  const { event, ticket } = moment;
  if (clock.cancelledAt !== null) {
    if (ticket.state === CANCELLED_STATE) return clock;
    // A duplicate that is none after all: the time in between is nobody's.
    return applyTicketState(plan, { ...clock, cancelledAt: null }, moment);
  }
  const isAnswered = plan.metric === "response" && clock.stoppedAt !== null;
  if (ticket.state === CANCELLED_STATE && !isAnswered) {
    const cancelled = { ...clock, cancelledAt: clock.at, countingSince: null };
    return addTimelineEntry(cancelled, event, "cancelled");
  }
  const begun = applyReset(plan, applyStart(plan, clock, moment), moment);
  if (!begun.hasStarted) return begun;
  const isOver = isWorkOver(plan, begun, ticket);
  const isPaused = plan.pauseOn.has(ticket.state) || plan.pauseWhen?.(ticket) === true;
  const isReopened = plan.metric === "next_reply" && begun.isOver && !isOver;
  const reopened = isReopened ? beginRound(begun) : begun;
  const isOpen = isReopened || plan.metric !== "next_reply" || reopened.stoppedAt === null;
  return count({ ...reopened, isOver, isPaused }, event, isOpen && !isOver);
}

/** Sets whether time passes, with an entry in the timeline where that changes. */
function count(clock: SlaClockState, event: RecordedEvent, isAwaited: boolean): SlaClockState {
  const { at, stoppedAt, countingSince, isPaused } = clock;
  if (!isAwaited) {
    if (stoppedAt !== null) return clock;
    return addTimelineEntry({ ...clock, stoppedAt: at, countingSince: null }, event, "stopped");
  }
  const counting = { ...clock, stoppedAt: null, countingSince: isPaused ? null : at };
  if (stoppedAt !== null)
    return addTimelineEntry(counting, event, isPaused ? "paused" : "restarted");
  if (isPaused === (countingSince === null)) return clock;
  return addTimelineEntry(counting, event, isPaused ? "paused" : "resumed");
}

function applyStart(plan: ClockPlan, clock: SlaClockState, moment: Moment): SlaClockState {
  const { event, ticket } = moment;
  if (clock.hasStarted) return clock;
  if (plan.from === "match" && !plan.matches(ticket)) return clock;
  if (plan.startWhen?.(ticket) === false) return clock;
  const { at } = clock;
  const started = { ...clock, hasStarted: true, startedAt: at, countingSince: at };
  return addTimelineEntry(started, event, "started");
}

function applyReset(plan: ClockPlan, clock: SlaClockState, moment: Moment): SlaClockState {
  if (!plan.resetWhen) return clock;
  const isResetHeld = plan.resetWhen(moment.ticket);
  const held = { ...clock, isResetHeld };
  // A reset at the start resets nothing.
  if (!isResetHeld || clock.isResetHeld || clock.startedAt === clock.at) return held;
  return addTimelineEntry({ ...beginRound(held), stoppedAt: null }, moment.event, "reset");
}

/** Begins from nothing; a deadline that passed is kept. */
function beginRound(clock: SlaClockState): SlaClockState {
  const { breachedAt, lateRounds, round } = clock;
  const late = breachedAt === null ? lateRounds : [...lateRounds, breachedAt];
  return {
    ...clock,
    round: round + 1,
    lateRounds: late.slice(0, LATE_ROUNDS_MAX),
    elapsedMs: 0,
    warnedAt: null,
    breachedAt: null,
  };
}

/** True where what the clock is about is done. */
function isWorkOver(plan: ClockPlan, clock: SlaClockState, ticket: Ticket): boolean {
  if (plan.stopWhen?.(ticket) === true) return true;
  if (plan.from === "match" && !plan.matches(ticket)) return true;
  const { state } = ticket;
  if (plan.metric !== "response") return RESOLVED_STATES[plan.entity].has(state);
  // Once answered, it stays so.
  if (clock.stoppedAt !== null) return true;
  return state !== clock.firstState && ANSWERED_STATES[plan.entity].has(state);
}

/**
 * Stops a clock at an agent's public answer to whoever waits for one, and starts the next reply's at their next word.
 */
function applyComment(plan: ClockPlan, clock: SlaClockState, event: RecordedEvent): SlaClockState {
  const isReply = plan.metric === "response" || plan.metric === "next_reply";
  if (!isReply || !clock.hasStarted || clock.cancelledAt !== null) return clock;
  if (event.type !== `${plan.entity}.comment_added`) return clock;
  if (isAnswer(clock, event)) return clock.stoppedAt === null ? count(clock, event, false) : clock;
  if (plan.metric === "response" || clock.isOver || clock.stoppedAt === null) return clock;
  return isQuestion(clock, event) ? count(beginRound(clock), event, true) : clock;
}

function applyConditions(plan: ClockPlan, clock: SlaClockState, moment: Moment): SlaClockState {
  const matched = plan.matches(moment.ticket);
  // Counted from the match, it stops when the policy ceases to match, and its result stands.
  if (plan.from === "match") return { ...clock, matched: clock.matched || matched };
  if (matched === clock.matched) return clock;
  const { elapsedMs, warnedAt, breachedAt } = clock;
  const left = matched ? null : { elapsedMs, warnedAt, breachedAt };
  const changed = { ...clock, matched, left };
  return addTimelineEntry(changed, moment.event, matched ? "policy_matched" : "policy_left");
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
