/**
 * The time axis of a run. If a run waits for a day and works for a second, a linear axis would hide the work: long
 * spans in which steps only wait are shortened.
 */
import type { Schemas } from "../../data/api.ts";

type RunStep = Pick<Schemas["RunStep"], "type" | "status" | "startedAt" | "finishedAt">;

export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export interface Axis extends Span {
  /** Spans that are shortened. */
  readonly quiet: readonly Span[];
}

interface Times {
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** Step types that wait or contain other steps: they use no processing time themselves. */
const WAITS: ReadonlySet<string> = new Set([
  "approval",
  "delay",
  "loop",
  "race",
  "repeat",
  "subworkflow",
  "wait_for_call",
  "wait_for_event",
  "wait_for_form",
]);
const QUIET_MIN_MS = 2_000;
const QUIET_MIN_SHARE = 0.25;
/** The share of the axis for each quiet span. */
const QUIET_SHARE = 0.12;

/** Returns the spans in which steps were working, in order and without overlap. */
export function findBusySpans(steps: Iterable<RunStep>): readonly Span[] {
  const spans = Array.from(steps)
    .filter(({ type, status, startedAt }) => {
      const isWait = WAITS.has(type ?? "") || status === "skipped";
      return !isWait && startedAt !== null;
    })
    .map(({ startedAt, finishedAt }) => ({
      startMs: Date.parse(startedAt ?? ""),
      endMs: finishedAt === null ? Infinity : Date.parse(finishedAt),
    }))
    .toSorted((a, b) => a.startMs - b.startMs);
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last && span.startMs <= last.endMs) {
      merged[merged.length - 1] = { ...last, endMs: Math.max(last.endMs, span.endMs) };
    } else merged.push(span);
  }
  return merged;
}

/** Returns the axis from the start of a run to its end, or to now. */
export function measureAxis(run: Times, busy: readonly Span[], nowMs: number): Axis {
  const startMs = Date.parse(run.startedAt ?? run.createdAt);
  const lastMs = Math.max(
    startMs + 1,
    ...busy.map(({ endMs }) => (endMs === Infinity ? 0 : endMs)),
  );
  const endMs = Math.max(lastMs, run.finishedAt === null ? nowMs : Date.parse(run.finishedAt));
  const least = Math.max(QUIET_MIN_MS, (endMs - startMs) * QUIET_MIN_SHARE);
  const quiet: Span[] = [];
  let atMs = startMs;
  for (const span of [...busy, { startMs: endMs, endMs }]) {
    if (span.startMs - atMs >= least) quiet.push({ startMs: atMs, endMs: span.startMs });
    atMs = Math.max(atMs, span.endMs);
  }
  // If no step worked, the wait is shown at full length.
  return { startMs, endMs, quiet: busy.length === 0 ? [] : quiet };
}

/** Maps a time to an axis position from 0 to 1. */
export function placeTime({ startMs, endMs, quiet }: Axis, atMs: number): number {
  const quietMs = quiet.reduce((sum, span) => sum + span.endMs - span.startMs, 0);
  const workMs = Math.max(1, endMs - startMs - quietMs);
  const workShare = 1 - quiet.length * QUIET_SHARE;
  const at = Math.max(startMs, Math.min(endMs, atMs));
  let share = 0;
  let fromMs = startMs;
  for (const span of quiet) {
    if (at <= span.startMs) break;
    share += ((span.startMs - fromMs) / workMs) * workShare;
    const passed = Math.min(at, span.endMs) - span.startMs;
    share += (passed / (span.endMs - span.startMs)) * QUIET_SHARE;
    fromMs = span.endMs;
  }
  if (at > fromMs) share += ((at - fromMs) / workMs) * workShare;
  return Math.min(1, share);
}

/** Returns the positions of a start and an end. Active steps extend to the end of the axis. */
export function placeSpan(
  span: { readonly startMs: number | undefined; readonly endMs: number | undefined },
  axis: Axis,
): { readonly from: number; readonly to: number } {
  const from = placeTime(axis, span.startMs ?? axis.startMs);
  return { from, to: Math.max(from, placeTime(axis, span.endMs ?? axis.endMs)) };
}
