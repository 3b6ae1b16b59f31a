import { type SlaClockState, elapsedAt, instantAtElapsed, type ClockPlan } from "./clock-fold.ts";

export const CLOCK_STATES = ["running", "paused", "met", "breached", "cancelled"] as const;
export type ClockState = (typeof CLOCK_STATES)[number];

/** The values of a clock at an instant. */
export interface ClockView {
  readonly state: ClockState;
  readonly counting: boolean;
  readonly elapsedMs: number;
  readonly remainingMs: number;
  /** The deadline without further events, or the time of the breach. Null while time does not count. */
  readonly dueAt: number | null;
  readonly warnedAt: number | null;
  readonly breachedAt: number | null;
}

/** Evaluates a clock at an instant, without events after its last one. */
export function clockStateAt(plan: ClockPlan, clock: SlaClockState, atMs: number): ClockView {
  if (!clock.matched) return leftState(plan, clock);
  const at = Math.max(clock.at, atMs);
  const elapsedMs = elapsedAt(plan, clock, at);
  const dueAt = clock.breachedAt ?? instantAtElapsed(plan, clock, plan.targetMs) ?? null;
  const warnAt =
    clock.warnedAt ?? instantAtElapsed(plan, clock, plan.warningsMs[0] ?? plan.targetMs) ?? null;
  const breachedAt = dueAt !== null && (clock.breachedAt !== null || dueAt < at) ? dueAt : null;
  return {
    state: decideState(clock, breachedAt !== null),
    counting: clock.countingSince !== null,
    elapsedMs,
    remainingMs: Math.max(0, plan.targetMs - elapsedMs),
    dueAt,
    warnedAt: warnAt !== null && (clock.warnedAt !== null || warnAt < at) ? warnAt : null,
    breachedAt,
  };
}

/** Returns the clock as it was when the policy stopped matching. */
function leftState(plan: ClockPlan, clock: SlaClockState): ClockView {
  const { elapsedMs, warnedAt, breachedAt } = clock.left ?? clock;
  return {
    state: "cancelled",
    counting: false,
    elapsedMs,
    remainingMs: Math.max(0, plan.targetMs - elapsedMs),
    dueAt: null,
    warnedAt,
    breachedAt,
  };
}

function decideState(clock: SlaClockState, breached: boolean): ClockState {
  if (clock.cancelledAt !== null) return "cancelled";
  if (breached) return "breached";
  if (clock.stoppedAt !== null) return "met";
  return clock.countingSince === null ? "paused" : "running";
}

/** The announced milestones of a clock. */
export interface AnnouncedMilestones {
  /** The number of announced warnings. */
  readonly warnings: number;
  readonly breached: boolean;
}

/** The instant of the next warning or breach to announce. Null if none is due without further events. */
export function nextDueAt(
  plan: ClockPlan,
  clock: SlaClockState,
  announced: AnnouncedMilestones,
): number | null {
  if (!clock.matched || clock.cancelledAt !== null || announced.breached) return null;
  const dueAt = clock.breachedAt ?? instantAtElapsed(plan, clock, plan.targetMs) ?? null;
  const warnAt = nextWarningAt(plan, clock, announced.warnings);
  if (warnAt === null || dueAt === null) return warnAt ?? dueAt;
  return Math.min(warnAt, dueAt);
}

/** The instant of the next warning. Null if all were announced, or the work has ended. */
function nextWarningAt(plan: ClockPlan, clock: SlaClockState, given: number): number | null {
  const amountMs = plan.warningsMs[given];
  if (amountMs === undefined || clock.stoppedAt !== null) return null;
  if (given === 0 && clock.warnedAt !== null) return clock.warnedAt;
  return instantAtElapsed(plan, clock, amountMs) ?? (clock.elapsedMs > amountMs ? clock.at : null);
}

/** The number of warnings due at a used business time. */
export function countWarnings({ warningsMs }: ClockPlan, elapsedMs: number): number {
  // A clock exactly at the share has not passed it.
  return warningsMs.filter((amountMs) => amountMs < elapsedMs).length;
}
