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

/** A compiled target of a policy. */
export interface ClockPlan {
  readonly entity: TicketKindName;
  readonly matches: TicketTest;
  readonly pauseOn: ReadonlySet<string>;
  readonly time: BusinessTime;
  readonly metric: Metric;
  /** Unique within the policy. */
  readonly name: string;
  /** `match`: time counts only while the policy matches, and the clock stops when it no longer does. */
  readonly from: CountedFrom;
  readonly startWhen: TicketTest | undefined;
  readonly pauseWhen: TicketTest | undefined;
  readonly stopWhen: TicketTest | undefined;
  readonly resetWhen: TicketTest | undefined;
  readonly targetMs: number;
  /** Ascending, at least one. */
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

/** The values of a clock at an instant. */
interface Milestones {
  readonly elapsedMs: number;
  readonly warnedAt: number | null;
  readonly breachedAt: number | null;
}

/** Instants are in milliseconds. */
export interface SlaClockState {
  readonly startedAt: number;
  /** The time of the last event. */
  readonly at: number;
  /** The ticket's state after the transaction that created it. */
  readonly firstState: string;
  /** The transaction that created the ticket. */
  readonly madeIn: string;
  /** The creators, from the ticket and the log. Empty for automations. */
  readonly creators: readonly string[];
  /** Ids of the people who wait for a response: the caller, or the creators. */
  readonly askerIds: readonly string[];
  readonly elapsedMs: number;
  /** Null while time does not count. */
  readonly countingSince: number | null;
  readonly stoppedAt: number | null;
  /** False until the start condition holds or the policy matches, if required. */
  readonly hasStarted: boolean;
  /** True while the state of the ticket or the pause condition stops the time. */
  readonly isPaused: boolean;
  /** True while the work on the ticket has ended. */
  readonly isOver: boolean;
  /** True while the reset condition holds. Only its start resets the clock. */
  readonly isResetHeld: boolean;
  /** The number of resets. */
  readonly round: number;
  /** The deadlines of earlier rounds that were missed. */
  readonly lateRounds: readonly number[];
  /** The time at which the ticket was cancelled, which ends the target. */
  readonly cancelledAt: number | null;
  readonly matched: boolean;
  readonly everMatched: boolean;
  /** Null while the policy matches, and before its first match. */
  readonly left: Milestones | null;
  /** The times at which the warning share and the target were used up, as far as the events show. */
  readonly warnedAt: number | null;
  readonly breachedAt: number | null;
  readonly timeline: readonly TimelineEntry[];
}

/** More entries do not help to explain a ticket that constantly changes state. */
const TIMELINE_ENTRIES_MAX = 300;

/** More late rounds than in any conversation. */
const LATE_ROUNDS_MAX = 500;

/** States in which the work has ended. A ticket that leaves them continues its clock. */
const RESOLVED_STATES: Readonly<Record<TicketKindName, ReadonlySet<string>>> = {
  incident: new Set(["resolved", "closed"]),
  change: new Set(["completed", "rolled_back", "rejected"]),
  problem: new Set(["resolved", "closed"]),
  request: new Set(["fulfilled", "rejected"]),
};
/**
 * States that count as a response, because the requester is notified. A problem has no caller, so work on it is the
 * response.
 */
const ANSWERED_STATES: Readonly<Record<TicketKindName, ReadonlySet<string>>> = {
  incident: RESOLVED_STATES.incident,
  change: new Set([...RESOLVED_STATES.change, "approved", "implementing"]),
  problem: new Set([...RESOLVED_STATES.problem, "investigating", "known_error"]),
  request: new Set([...RESOLVED_STATES.request, "approved", "fulfilling", "failed"]),
};
const CANCELLED_STATE = "cancelled";

/** Emitted by the announcer; they do not affect clocks. */
const SLA_EVENT_TYPES = /\.sla_(breached|warning)$/;

/** The ticket kind of an event. Undefined if it does not affect clocks. */
export function ticketKindOf({ topic, type, resource }: RecordedEvent): TicketKindName | undefined {
  // A published message can have any type, but its resource is not a ticket.
  if (resource.type !== topic || SLA_EVENT_TYPES.test(type)) return undefined;
  return TICKET_KINDS.find((kind) => kind === topic);
}

/** The ticket after an event, for events that contain it completely. */
export function ticketFromEvent(event: RecordedEvent): Ticket | undefined {
  const payload = payloadOf(event);
  return isTicket(payload) && payload.id === event.resource.id ? payload : undefined;
}

/**
 * Folds the events of a ticket into its clock, from the start or from `clock`. Undefined if no event contains the
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

/** The business time used up at an instant, without further events. */
export function elapsedAt({ time }: ClockPlan, clock: SlaClockState, atMs: number): number {
  const { countingSince, elapsedMs } = clock;
  return countingSince === null ? elapsedMs : elapsedMs + time.elapsed(countingSince, atMs);
}

/** The instant at which an amount of business time is used up, without further events. Undefined for never. */
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
  // Retention may have deleted earlier events. The ticket then provides its creation time.
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
  // Transactions commit in another order than they start, so time never goes backwards in log order.
  const at = Math.max(clock.at, Date.parse(event.createdAt));
  const ticket = ticketFromEvent(event);
  const passed = advanceTime(plan, clock, at);
  if (!ticket) return applyComment(plan, passed, event);
  // A state set by the creating transaction, such as the pending approval of a request, is not a response.
  const isCreation = transactionOf(event) === clock.madeIn;
  const asked = { ...passed, askerIds: selectAskers(ticket, passed.creators) };
  const later = isCreation ? { ...asked, firstState: ticket.state } : asked;
  const moment = { event, ticket };
  return markMatched(applyConditions(plan, applyTicketState(plan, later, moment), moment));
}

/** Marks a started clock as matched when the policy matches. */
function markMatched(clock: SlaClockState): SlaClockState {
  return { ...clock, everMatched: clock.everMatched || (clock.matched && clock.hasStarted) };
}

/** Advances a clock to an instant without events. */
function advanceTime(plan: ClockPlan, clock: SlaClockState, at: number): SlaClockState {
  if (clock.countingSince === null) return { ...clock, at };
  const passedAt = (amountMs: number): number | null => {
    const instant = instantAtElapsed(plan, clock, amountMs);
    // An event exactly at the deadline is in time.
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

/** An event that contains its ticket. */
interface Moment {
  readonly event: RecordedEvent;
  readonly ticket: Ticket;
}

/** Starts, resets, pauses, stops or cancels a clock according to its ticket. */
function applyTicketState(plan: ClockPlan, clock: SlaClockState, moment: Moment): SlaClockState {
  const { event, ticket } = moment;
  if (clock.cancelledAt !== null) {
    if (ticket.state === CANCELLED_STATE) return clock;
    // A restored duplicate: the time in between does not count.
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

/** Sets whether time counts. Adds a timeline entry on a change. */
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
  // A reset at the start has no effect.
  if (!isResetHeld || clock.isResetHeld || clock.startedAt === clock.at) return held;
  return addTimelineEntry({ ...beginRound(held), stoppedAt: null }, moment.event, "reset");
}

/** Restarts the clock. A missed deadline is kept. */
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

/** True if the goal of the clock is reached. */
function isWorkOver(plan: ClockPlan, clock: SlaClockState, ticket: Ticket): boolean {
  if (plan.stopWhen?.(ticket) === true) return true;
  if (plan.from === "match" && !plan.matches(ticket)) return true;
  const { state } = ticket;
  if (plan.metric !== "response") return RESOLVED_STATES[plan.entity].has(state);
  // A response is final.
  if (clock.stoppedAt !== null) return true;
  return state !== clock.firstState && ANSWERED_STATES[plan.entity].has(state);
}

/**
 * Stops a clock at a public answer of an agent, and starts the clock of the next reply at the next comment of the
 * requester.
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
  // A clock counted from the match stops when the policy no longer matches, and keeps its result.
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
