import { type SlaClockState, elapsedAt, parseInstant, type ClockPlan } from "./clock-fold.ts";

export const CLOCK_STATES = ["running", "paused", "met", "breached", "cancelled"] as const;
export type ClockState = (typeof CLOCK_STATES)[number];

/** A clock as it is at some instant. */
export interface ClockView {
  readonly state: ClockState;
  /** Whether time is being counted. */
  readonly counting: boolean;
  readonly elapsedMs: number;
  readonly remainingMs: number;
  /** When all is used up if nothing happens, or when it was; null while time is not counted. */
  readonly dueAt: number | null;
  readonly warnedAt: number | null;
  readonly breachedAt: number | null;
}

/** What a clock shows at an instant, if nothing happens between its last event and then. */
export function clockStateAt(plan: ClockPlan, clock: SlaClockState, atMs: number): ClockView {
  const at = Math.max(clock.at, atMs);
  const elapsedMs = elapsedAt(plan, clock, at);
  const dueAt = clock.breachedAt ?? parseInstant(plan, clock, plan.targetMs) ?? null;
  const warnAt = clock.warnedAt ?? parseInstant(plan, clock, plan.warnMs) ?? null;
  const breachedAt = dueAt !== null && (clock.breachedAt !== null || dueAt < at) ? dueAt : null;
  return {
    state: stateOf(clock, breachedAt !== null),
    counting: clock.countingSince !== null && clock.matched,
    elapsedMs,
    remainingMs: Math.max(0, plan.targetMs - elapsedMs),
    dueAt,
    warnedAt: warnAt !== null && (clock.warnedAt !== null || warnAt < at) ? warnAt : null,
    breachedAt,
  };
}

function stateOf(clock: SlaClockState, breached: boolean): ClockState {
  if (!clock.matched || clock.cancelledAt !== null) return "cancelled";
  if (breached) return "breached";
  if (clock.stoppedAt !== null) return "met";
  return clock.countingSince === null ? "paused" : "running";
}

/** What was told of a clock already. */
export interface AnnouncedMilestones {
  readonly warned: boolean;
  readonly breached: boolean;
}

/** When a warning or a breach is to be told next; null when nothing is, unless something happens. */
export function nextDueAt(
  plan: ClockPlan,
  clock: SlaClockState,
  told: AnnouncedMilestones,
): number | null {
  if (!clock.matched || clock.cancelledAt !== null || told.breached) return null;
  const dueAt = clock.breachedAt ?? parseInstant(plan, clock, plan.targetMs) ?? null;
  // Nobody needs a warning of what is over.
  if (told.warned || clock.stoppedAt !== null) return dueAt;
  const warnAt = clock.warnedAt ?? parseInstant(plan, clock, plan.warnMs) ?? null;
  if (warnAt === null || dueAt === null) return warnAt ?? dueAt;
  return Math.min(warnAt, dueAt);
}
