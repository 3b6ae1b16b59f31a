/** The remaining time of an SLA target: a bar that shrinks in business time, and a short text. */

export interface Due {
  readonly state: "running" | "paused" | "breached";
  /** The calendar time of the breach; null while paused. */
  readonly dueAt: string | null;
  /** The remaining business time when it was loaded. */
  readonly remainingMs: number;
  readonly targetMs: number;
  /** True during business hours, unless the target is paused. */
  readonly isCounting: boolean;
  readonly readAtMs: number;
  /** The name of the target, such as "Response · Critical". */
  readonly promise: string;
}

export type DueTone = "ok" | "warn" | "bad" | "idle";

const MINUTE_MS = 60_000;
const HOUR_M = 60;
const DAY_M = 1_440;
/** Below this share of the total time, the target is at risk. */
const WARN_SHARE = 0.2;
export const HOUR_MS = HOUR_M * MINUTE_MS;

/** Returns the remaining business time; negative if overdue. */
export function leftOf(due: Due, nowMs: number): number {
  // Overdue time is measured in calendar time, because people do not count office hours after a breach.
  if (due.state === "breached" && due.dueAt !== null) return Date.parse(due.dueAt) - nowMs;
  const passed = due.isCounting ? Math.max(0, nowMs - due.readAtMs) : 0;
  return due.remainingMs - passed;
}

export function shareOf(due: Due, nowMs: number): number {
  if (due.targetMs <= 0) return 0;
  return Math.max(0, Math.min(1, leftOf(due, nowMs) / due.targetMs));
}

export function toneOfDue(due: Due, nowMs: number): DueTone {
  if (due.state === "paused") return "idle";
  const left = leftOf(due, nowMs);
  if (left <= 0) return "bad";
  return left < HOUR_MS || shareOf(due, nowMs) < WARN_SHARE ? "warn" : "ok";
}

/** Formats `38m`, `2h 05m` or `3d`; overdue time has a minus. Seconds are omitted to avoid distraction. */
export function toDueWords(ms: number): string {
  const sign = ms < 0 ? "−" : "";
  const minutes = Math.floor(Math.abs(ms) / MINUTE_MS);
  if (minutes < 1) return ms < 0 ? "now" : "< 1m";
  if (minutes < HOUR_M) return `${sign}${minutes}m`;
  if (minutes < DAY_M) {
    const rest = minutes % HOUR_M;
    return `${sign}${Math.floor(minutes / HOUR_M)}h${rest > 0 && minutes < 10 * HOUR_M ? ` ${String(rest).padStart(2, "0")}m` : ""}`;
  }
  return `${sign}${Math.floor(minutes / DAY_M)}d`;
}
