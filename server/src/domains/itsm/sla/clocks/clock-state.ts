import { type SlaClockState, elapsedAt, instantAtElapsed, type ClockPlan } from "./clock-fold.ts";

export const CLOCK_STATES = ["running", "paused", "met", "breached", "cancelled"] as const;
export type ClockState = (typeof CLOCK_STATES)[number];

/** A clock as it is at some instant. */
export interface ClockView {
  readonly state: ClockState;
  readonly counting: boolean;
  readonly elapsedMs: number;
  readonly remainingMs: number;
  /** The deadline if nothing happens, or when it passed; null while time is not counted. */
  readonly dueAt: number | null;
  readonly warnedAt: number | null;
  readonly breachedAt: number | null;
}

/** Evaluates a clock at an instant, if nothing happens between its last event and then. */
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

/** The clock of a policy that no longer matches: as it stood when that ceased. */
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

/** The milestones of a clock that were announced already. */
export interface AnnouncedMilestones {
  /** How many warnings. */
  readonly warnings: number;
  readonly breached: boolean;
}

/** The instant of the next warning or breach to announce; null when there is none unless something happens. */
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

/** The instant of the next warning; null where all were given, or the work is over and needs none. */
function nextWarningAt(plan: ClockPlan, clock: SlaClockState, given: number): number | null {
  const amountMs = plan.warningsMs[given];
  if (amountMs === undefined || clock.stoppedAt !== null) return null;
  if (given === 0 && clock.warnedAt !== null) return clock.warnedAt;
  return instantAtElapsed(plan, clock, amountMs) ?? (clock.elapsedMs > amountMs ? clock.at : null);
}

/** How many warnings are due when some business time is used up. */
export function countWarnings({ warningsMs }: ClockPlan, elapsedMs: number): number {
  // A clock at the very share is not beyond it yet.
  return warningsMs.filter((amountMs) => amountMs < elapsedMs).length;
}
