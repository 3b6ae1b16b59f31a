/**
 * The interpreter of workflows: decides the next steps from a plan and a journal.
 *
 * - A node without incoming edges starts at once. A node with incoming edges waits until each edge is taken or dead.
 *   It starts if an edge was taken, and is skipped otherwise.
 * - A completed step takes its edges without a label, and the edges labelled with its branch. A step that failed
 *   permanently takes its `error` edges (onError `branch`), continues as if it had completed (`continue`), or fails the
 *   run or the surrounding loop. A skipped step takes no edges.
 * - A loop runs its body per item with limited concurrency, and completes with the outputs in item order. When an
 *   iteration fails, no more steps in the loop start. When none of its steps is running, the loop has failed, and its
 *   own retry and onError apply.
 * - A race runs its body once. The disconnected parts of the body are its branches. The first branch with all nodes
 *   settled wins, and the other branches are cancelled. A failed branch leaves the race; if all fail, the race fails.
 * - When the run fails or is stopped, no more steps start. Running steps are awaited, and waiting steps are cancelled.
 *
 * A decision depends only on the journal, and repeats everything that is not in the journal yet. Its parts can be
 * applied in any order, with one exception: the decision about the steps in a loop must be recorded before the end of
 * the loop or together with it, because these steps are not examined again.
 */
import type { ExecutionPlan, PlanNode } from "../definition/index.ts";
import { failingAround, isStopping, applyJournal } from "./journal.ts";
import { startProgress, type Loop, type Progress, type Stop } from "./progress.ts";
import type { StepRecord } from "./step.ts";

export { startProgress, type Progress, type Stop } from "./progress.ts";

/** The state of a run beyond its journal. */
export interface RunState {
  /** The run must end, cancelled or failed, before all steps are done. */
  readonly stop?: Stop;
}

export interface RunDecision {
  readonly start: readonly { readonly path: string; readonly node: PlanNode }[];
  readonly skip: readonly string[];
  /** Ended loops, with iteration outputs or the number of iterations. */
  readonly complete: readonly { readonly path: string; readonly output: unknown }[];
  /** Loops with a failed iteration, and the failed step. A retry can follow. */
  readonly fail: readonly { readonly path: string; readonly cause: string }[];
  /** Waiting steps to cancel. In lost branches of a race also running steps. */
  readonly cancel: readonly string[];
  /** The result of the run. It applies once the rest of this decision is in the journal. */
  readonly result: RunResult | undefined;
}

export type RunResult =
  | { readonly status: "completed" }
  /** The path is undefined if the run was stopped. */
  | { readonly status: "failed"; readonly path: string | undefined }
  | { readonly status: "cancelled" };

/** Decides from the complete journal. */
export function nextDecision(
  plan: ExecutionPlan,
  run: RunState,
  steps: ReadonlyMap<string, StepRecord>,
): RunDecision {
  return advance(startProgress(plan), steps.values(), run);
}

/**
 * Decides from the changes since the last decision. The result is the same as from the complete journal.
 * Recompute the progress first if records were removed, for example by a retry.
 */
export function advance(
  progress: Progress,
  changes: Iterable<StepRecord>,
  run: RunState = {},
): RunDecision {
  progress.stop = run.stop ?? progress.stop;
  applyJournal(progress, changes);
  return isStopping(progress) ? decideStop(progress) : decideNext(progress);
}

function decideNext(progress: Progress): RunDecision {
  const { root, due, failing } = progress;
  const start: { path: string; node: PlanNode }[] = [];
  for (const [path, { frame, node }] of due.start) {
    if (failing.size === 0 || failingAround(frame.of?.loop) === undefined) {
      start.push({ path, node });
    }
  }
  const { fail, cancel: waiting } = failing.size === 0 ? NOTHING_FAILS : failingLoops(progress);
  const cancel = due.cancel.size === 0 ? waiting : [...waiting, ...due.cancel];
  const result: RunResult | undefined = root.unsettled === 0 ? { status: "completed" } : undefined;
  return { start, fail, cancel, result, ...settledSteps(progress) };
}

const NOTHING_FAILS = { fail: [], cancel: [] } as const;

/** The loops that fail now because nothing in them runs, and their waiting steps to cancel. */
function failingLoops({ failing, live }: Progress): Pick<RunDecision, "fail" | "cancel"> {
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

function decideStop(progress: Progress): RunDecision {
  const cancel: string[] = [...progress.due.cancel];
  const loops: string[] = [];
  let runs = false;
  for (const [path, { status, iterating }] of progress.live) {
    if (iterating) loops.push(path);
    else if (status === "running") runs = true;
    else cancel.push(path);
  }
  if (!runs) cancel.push(...loops);
  const result = runs ? undefined : stopResultOf(progress);
  return { start: [], fail: [], cancel, result, ...settledSteps(progress) };
}

function stopResultOf({ stop, failure }: Progress): RunResult {
  const isFailed = failure?.cancelled === false;
  if (stop === "cancelled" || (stop === undefined && !isFailed)) return { status: "cancelled" };
  return { status: "failed", path: isFailed ? failure.path : undefined };
}

/** Returns the decisions that don't depend on whether the run continues. */
function settledSteps({ due }: Progress): Pick<RunDecision, "skip" | "complete"> {
  // The common case on the hot path.
  if (due.skip.size === 0 && due.complete.size === 0) return NOTHING_SETTLED;
  return {
    skip: [...due.skip],
    complete: Array.from(due.complete, ([path, output]) => ({ path, output })),
  };
}

const NOTHING_SETTLED = { skip: [], complete: [] } as const;
