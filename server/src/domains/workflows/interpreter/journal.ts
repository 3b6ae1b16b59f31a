import type { PlanNode } from "../definition/index.ts";
import { depthOf, parsePath } from "./path.ts";
import {
  DEAD,
  enterIteration,
  ERROR,
  type Exit,
  finish,
  type UnhandledFailure,
  type Frame,
  type Loop,
  openLoop,
  PHASE,
  PLAIN,
  type Progress,
  settle,
} from "./progress.ts";
import type { StepRecord } from "./step.ts";

/** Applies journal records in any order. */
export function applyJournal(progress: Progress, records: Iterable<StepRecord>): void {
  // A loop must be known before its steps.
  const nested: StepRecord[][] = [];
  for (const record of records) {
    const depth = depthOf(record.path);
    if (depth === 0) applyRecord(progress, record);
    else (nested[depth] ??= []).push(record);
  }
  for (const level of nested) for (const record of level ?? []) applyRecord(progress, record);
  for (const loop of progress.changed) {
    // The set can grow during iteration because a loop can end an iteration of its outer loop.
    progress.changed.delete(loop);
    advanceLoop(progress, loop);
  }
}

function applyRecord(progress: Progress, record: StepRecord): void {
  const { path, status } = record;
  // Locating a step can start its iteration, which makes the step due.
  const at = locate(progress, path);
  progress.due.start.delete(path);
  progress.due.skip.delete(path);
  progress.due.complete.delete(path);
  progress.due.cancel.delete(path);
  if (at === undefined) return;
  const { frame, node } = at;
  const iterating = status === "running" && record.items !== undefined && node.body !== undefined;
  if (node.body !== undefined && !iterating) closeLoop(progress, frame, node);
  // Already settled by the same record, or because it had no other outcome.
  if (frame.phases[node.index] === PHASE.settled) return;
  switch (status) {
    case "ready":
    case "running":
    case "waiting":
    case "paused":
      frame.phases[node.index] = PHASE.live;
      progress.live.set(path, { frame, status, iterating });
      if (iterating) openLoop(progress, frame, node, record.items ?? 0);
      return;
    case "completed":
    case "failed":
    case "skipped":
    case "cancelled":
      progress.live.delete(path);
      end(progress, at, record);
  }
}

function end(
  progress: Progress,
  { frame, node }: { readonly frame: Frame; readonly node: PlanNode },
  { path, status, branch, output }: StepRecord,
): void {
  const goesOn = status === "failed" && node.onError === "continue";
  if (status === "completed" || goesOn) {
    keepOutput(frame, node, goesOn ? null : output);
    settle(progress, frame, node, branch === undefined || goesOn ? PLAIN : exitBy(node, branch));
  } else if (status === "skipped") {
    settle(progress, frame, node, DEAD);
  } else if (status === "failed" && node.onError === "branch") {
    settle(progress, frame, node, ERROR);
  } else {
    frame.phases[node.index] = PHASE.broken;
    const [cancelled, iteration] = [status === "cancelled", frame.of?.index ?? 0];
    fail(progress, frame, { cancelled, iteration, node: node.index, path });
  }
}

function exitBy({ type }: PlanNode, branch: string): Exit {
  return { branch, unlabelled: type.aside === undefined || !type.aside.includes(branch) };
}

/** Records a failure that nothing in its frame handles. A cancelled step counts too. */
function fail(progress: Progress, frame: Frame, failure: UnhandledFailure): void {
  const { of, standing } = frame;
  if (of === undefined) {
    progress.failure = firstFailure(progress.failure, failure);
  } else if (standing) {
    const { branchOf = [], sizes = [] } = frame.graph.contest ?? {};
    standing.failed[branchOf[failure.node] ?? 0] = true;
    standing.failure = firstFailure(standing.failure, failure);
    // Other branches continue. The race fails only if all branches failed.
    if (!sizes.every((_, branch) => standing.failed[branch] === true)) return;
    of.loop.failure = standing.failure;
    progress.failing.add(of.loop);
  } else {
    of.loop.failure = firstFailure(of.loop.failure, failure);
    progress.failing.add(of.loop);
  }
}

function firstFailure(
  known: UnhandledFailure | undefined,
  other: UnhandledFailure,
): UnhandledFailure {
  if (known === undefined) return other;
  if (known.cancelled !== other.cancelled) return known.cancelled ? other : known;
  const order = known.iteration - other.iteration || known.node - other.node;
  return order <= 0 ? known : other;
}

/** The frame and node of a step. Undefined if the surrounding loop has ended or not started. */
function locate(progress: Progress, path: string) {
  const { iterations, id } = parsePath(path);
  let frame: Frame | undefined = progress.root;
  for (const iteration of iterations) {
    const loop = loopIn(frame, iteration.id);
    frame = loop && enterIteration(progress, loop, iteration.index);
    if (frame === undefined) return undefined;
  }
  const node = frame.graph.byId.get(id);
  return node && { frame, node };
}

function loopIn(frame: Frame, id: string): Loop | undefined {
  const node = frame.graph.byId.get(id);
  return node && frame.loops[node.index];
}

/** Starts further iterations, or completes the loop after the last one. */
function advanceLoop(progress: Progress, loop: Loop): void {
  const { frame, node, path } = loop;
  const [contestants] = node.type.races ? loop.frames.values() : [];
  if (contestants?.standing?.winner !== undefined) {
    finish(progress, contestants);
    progress.changed.delete(loop);
  }
  if (loop.finishedCount === loop.items) {
    if (node.type.races) cancelLosers(progress, frame, node);
    frame.loops[node.index] = undefined;
    progress.live.delete(path);
    const output = node.repeats ? repeatOutput(loop) : loopOutput(loop);
    progress.due.complete.set(path, output);
    keepOutput(frame, node, output);
    settle(progress, frame, node, PLAIN);
    return;
  }
  if (isStopping(progress) || failingAround(loop) !== undefined) return;
  while (loop.frames.size < node.concurrency && loop.next < loop.items) {
    enterIteration(progress, loop, loop.next);
    loop.next += 1;
  }
}

/** Cancels the active steps of branches that lost. */
function cancelLosers(progress: Progress, frame: Frame, node: PlanNode): void {
  const inside = `${frame.prefix}${node.id}[`;
  for (const path of progress.live.keys()) {
    if (path.startsWith(inside)) progress.due.cancel.add(path);
  }
  closeLoop(progress, frame, node);
}

function loopOutput({ node, outputs, items }: Loop): unknown {
  if (node.type.races) return outputs[0];
  return node.collects ? outputs : { count: items };
}

function repeatOutput({ node, outputs, items, last }: Loop): unknown {
  const { done = false, state = null } = last ?? {};
  if (node.type.plans) return state;
  return { turns: items, done, last: state, ...(node.collects && { outputs }) };
}

/** Removes the inner state of a loop after its end or before a retry. */
function closeLoop(progress: Progress, frame: Frame, node: PlanNode): void {
  if (frame.loops[node.index] === undefined) return;
  frame.loops[node.index] = undefined;
  const { live, due, changed, failing } = progress;
  const inside = `${frame.prefix}${node.id}[`;
  for (const paths of [live, due.start, due.skip, due.complete]) {
    for (const path of paths.keys()) if (path.startsWith(inside)) paths.delete(path);
  }
  for (const loops of [changed, failing]) {
    for (const loop of loops) if (`${loop.path}[`.startsWith(inside)) loops.delete(loop);
  }
}

// Outputs of the root are read from the journal after the run ends.
function keepOutput(frame: Frame, node: PlanNode, output: unknown): void {
  if (frame.of !== undefined && node.outgoing.length === 0) frame.outputs[node.index] = output;
}

/** True if the run must end before all steps are done. */
export function isStopping(progress: Progress): boolean {
  return progress.stop !== undefined || progress.failure !== undefined;
}

/** The outermost failing loop among the loop itself and its surrounding loops. */
export function failingAround(loop: Loop | undefined): Loop | undefined {
  let outermost: Loop | undefined;
  for (let at = loop; at !== undefined; at = at.frame.of?.loop) {
    if (at.failure !== undefined) outermost = at;
  }
  return outermost;
}
