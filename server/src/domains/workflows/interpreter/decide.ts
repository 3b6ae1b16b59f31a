/**
 * The interpreter of workflows: what follows from a plan and a journal.
 *
 * - A node without incoming edges starts at once. One with several waits until each is taken or
 *   dead; it starts when one was taken, and is skipped when none was.
 * - A completed step takes its edges without a label, and those labelled with its branch. One that
 *   failed for good takes those with `error` (onError `branch`), goes on as if it had completed
 *   (`continue`), or fails the run, or the loop that it is part of. A skipped one takes none.
 * - A loop runs its body for each item, a few at a time, and completes with their outputs in the
 *   order of the items. When an iteration fails, no step in the loop starts any more; once
 *   nothing in it runs, the loop has failed, and its own retry and onError say what follows.
 * - When the run fails or is stopped, nothing starts; what runs is waited for, what waits is
 *   cancelled.
 *
 * A decision follows from the journal alone, and repeats what the journal does not say yet; parts
 * of it may be carried out before others. Only who records the end of a loop must have recorded,
 * or record with it, what the decision says of the steps in the loop: nobody looks at them again.
 * The order of steps in a decision means nothing.
 */
import type { ExecutionPlan, PlanNode } from "../definition/index.ts";
import { failingAround, isStopping, applyJournal } from "./journal.ts";
import { begin, type Loop, type Progress, type Stop } from "./progress.ts";
import type { StepRecord } from "./step.ts";

export { begin, type Progress, type Stop } from "./progress.ts";

/** What the journal does not say about a run. */
export interface RunState {
  /** The run is to end, cancelled or failed, although there is more to do. */
  readonly stop?: Stop;
}

export interface Decision {
  readonly start: readonly { readonly path: string; readonly node: PlanNode }[];
  readonly skip: readonly string[];
  /** Loops, with the outputs of their iterations. */
  readonly complete: readonly { readonly path: string; readonly output: readonly unknown[] }[];
  /** Loops of which an iteration failed, with the step that did. They may still be retried. */
  readonly fail: readonly { readonly path: string; readonly cause: string }[];
  /** Steps that wait, and need not any more. */
  readonly cancel: readonly string[];
  /** How the run ended, once the rest of this decision is in the journal. */
  readonly over: RunResult | undefined;
}

export type RunResult =
  | { readonly status: "completed" }
  /** Without a path when the run was stopped. */
  | { readonly status: "failed"; readonly path: string | undefined }
  | { readonly status: "cancelled" };

/** Decides from the whole journal. */
export function nextDecision(
  plan: ExecutionPlan,
  run: RunState,
  steps: ReadonlyMap<string, StepRecord>,
): Decision {
  return advance(begin(plan), steps.values(), run);
}

/**
 * Decides from what changed in the journal since the last time: the same decision as from all of
 * it. When records are taken back, as a retry does, begin anew.
 */
export function advance(
  progress: Progress,
  changes: Iterable<StepRecord>,
  run: RunState = {},
): Decision {
  progress.stop = run.stop ?? progress.stop;
  applyJournal(progress, changes);
  return isStopping(progress) ? stopping(progress) : goingOn(progress);
}

function goingOn(progress: Progress): Decision {
  const { root, due, failing } = progress;
  const start: { path: string; node: PlanNode }[] = [];
  for (const [path, { frame, node }] of due.start) {
    if (failing.size === 0 || failingAround(frame.of?.loop) === undefined) {
      start.push({ path, node });
    }
  }
  const { fail, cancel } = failing.size === 0 ? NOTHING_FAILS : failingLoops(progress);
  const over: RunResult | undefined = root.unsettled === 0 ? { status: "completed" } : undefined;
  return { start, fail, cancel, over, ...facts(progress) };
}

const NOTHING_FAILS = { fail: [], cancel: [] } as const;

/** The loops that fail now, since nothing in them runs any more, and what in them waits in vain. */
function failingLoops({ failing, live }: Progress): Pick<Decision, "fail" | "cancel"> {
  const waiting = new Map<Loop, string[]>();
  for (const loop of failing) {
    const outermost = failingAround(loop);
    if (outermost !== undefined) waiting.set(outermost, []);
  }
  const running = new Set<Loop>();
  const loops = new Map<Loop, string[]>();
  for (const [path, { frame, status, iterating }] of live) {
    const loop = failingAround(frame.of?.loop);
    if (loop === undefined) continue;
    if (iterating) loops.set(loop, [...(loops.get(loop) ?? []), path]);
    else if (status === "running") running.add(loop);
    else waiting.get(loop)?.push(path);
  }
  const fail: { path: string; cause: string }[] = [];
  const cancel: string[] = [];
  for (const [loop, paths] of waiting) {
    cancel.push(...paths);
    if (running.has(loop) || loop.failure === undefined) continue;
    cancel.push(...(loops.get(loop) ?? []));
    fail.push({ path: loop.path, cause: loop.failure.path });
  }
  return { fail, cancel };
}

function stopping(progress: Progress): Decision {
  const cancel: string[] = [];
  const loops: string[] = [];
  let runs = false;
  for (const [path, { status, iterating }] of progress.live) {
    if (iterating) loops.push(path);
    else if (status === "running") runs = true;
    else cancel.push(path);
  }
  if (!runs) cancel.push(...loops);
  const over = runs ? undefined : endOf(progress);
  return { start: [], fail: [], cancel, over, ...facts(progress) };
}

function endOf({ stop, failure }: Progress): RunResult {
  const isFailed = failure?.cancelled === false;
  if (stop === "cancelled" || (stop === undefined && !isFailed)) return { status: "cancelled" };
  return { status: "failed", path: isFailed ? failure.path : undefined };
}

/** What is settled whether or not the run goes on. */
function facts({ due }: Progress): Pick<Decision, "skip" | "complete"> {
  // Most changes settle nothing else, and a run consists of changes.
  if (due.skip.size === 0 && due.complete.size === 0) return NO_FACTS;
  return {
    skip: [...due.skip],
    complete: Array.from(due.complete, ([path, output]) => ({ path, output })),
  };
}

const NO_FACTS = { skip: [], complete: [] } as const;
