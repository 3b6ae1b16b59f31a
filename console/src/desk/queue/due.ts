/** What is left of a promise, as the eye reads it: a bar that shrinks in business time, and a few letters. */

export interface Due {
  readonly state: "running" | "paused" | "breached";
  /** When it breaks on the wall; null while time does not count. */
  readonly dueAt: string | null;
  /** Left in business time when it was read. */
  readonly remainingMs: number;
  readonly targetMs: number;
  /** It counts now: it is office time and nothing holds it. */
  readonly isCounting: boolean;
  readonly readAtMs: number;
  /** The promise, as "Response · Critical". */
  readonly promise: string;
}

export type DueTone = "ok" | "warn" | "bad" | "idle";

const MINUTE_MS = 60_000;
const HOUR_M = 60;
const DAY_M = 1_440;
/** Below this share of the whole time it is nearly over. */
const WARN_SHARE = 0.2;
export const HOUR_MS = HOUR_M * MINUTE_MS;

/** Business time that is left now; below zero it is over. */
export function leftOf(due: Due, nowMs: number): number {
  // What is late is late by the wall: nobody asks how many office hours ago it broke.
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

/** `38m`, `2h 05m`, `3d`; what is over has a minus. Seconds would only make people nervous. */
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
