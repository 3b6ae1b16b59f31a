/**
 * The progress of a run in memory.
 *
 * All data here is derived from the journal and serves as an index: a change of a step updates that step and its
 * successors, and never the complete run. So the cost of a loop is linear in the number of its iterations.
 *
 * An active graph is a frame: the root has one, and each iteration of a loop has one from its first step to its last.
 * Only the output of a finished iteration is kept. Consequences without execution (a skipped step, a loop after its
 * last iteration) take effect at once, and are recorded in `due` until they are in the journal.
 */
import type { Graph, ExecutionPlan, PlanNode } from "../definition/index.ts";
import { combineOutputs } from "./output.ts";
import { iterationPrefix } from "./path.ts";
import type { StepStatus } from "./step.ts";

/** The progress of a node in a frame. Nothing continues after a broken node. */
export const PHASE = { unreached: 0, due: 1, live: 2, settled: 3, broken: 4 } as const;

export interface Frame {
  readonly graph: Graph;
  readonly prefix: string;
  /** The iteration of this frame; undefined for the root. */
  readonly of: { readonly loop: Loop; readonly index: number } | undefined;
  /** For each node the number of incoming edges that are neither taken nor dead. */
  readonly open: number[];
  /** For each node, whether an incoming edge was taken. */
  readonly reached: Uint8Array;
  readonly phases: Uint8Array;
  readonly outputs: unknown[];
  readonly loops: (Loop | undefined)[];
  unsettled: number;
  /** Set for a race. */
  readonly standing: Standing | undefined;
}

/** The progress of a race. */
export interface Standing {
  /** For each branch the number of its unsettled nodes. */
  readonly unsettled: number[];
  /** For each branch, whether it failed. */
  readonly failed: boolean[];
  /** The first failure in graph order. */
  failure: UnhandledFailure | undefined;
  winner: number | undefined;
}

/** A loop with evaluated items. */
export interface Loop {
  readonly frame: Frame;
  readonly node: PlanNode;
  readonly path: string;
  /** The number of iterations. For a repeat the maximum number, until its last iteration. */
  items: number;
  /** The result of the last iteration of a repeat. */
  last: { readonly done: boolean; readonly state: unknown } | undefined;
  /** The active iterations. */
  readonly frames: Map<number, Frame>;
  readonly finished: boolean[];
  readonly outputs: unknown[];
  finishedCount: number;
  /** All iterations before this index have started. */
  next: number;
  /** The first failure in graph order, because the result must not depend on timing. */
  failure: UnhandledFailure | undefined;
}

export interface UnhandledFailure {
  /** The step was cancelled. This counts only if no other step failed. */
  readonly cancelled: boolean;
  readonly iteration: number;
  readonly node: number;
  readonly path: string;
}

/** A step in the journal without a final status. */
export interface LiveStep {
  readonly frame: Frame;
  readonly status: StepStatus;
  /** True for a loop from the start of its first iteration to the end of its last. */
  readonly iterating: boolean;
}

export interface Due {
  readonly start: Map<string, { readonly frame: Frame; readonly node: PlanNode }>;
  readonly skip: Set<string>;
  readonly complete: Map<string, unknown>;
  /** Steps of branches that lost a race. */
  readonly cancel: Set<string>;
}

export interface Progress {
  readonly root: Frame;
  readonly live: Map<string, LiveStep>;
  readonly due: Due;
  /** Loops with an iteration that started, ended or failed since the last check. */
  readonly changed: Set<Loop>;
  readonly failing: Set<Loop>;
  stop: Stop | undefined;
  failure: UnhandledFailure | undefined;
}

/** How a run must end before all steps are done. */
export type Stop = "cancelled" | "failed";

/** The progress of a run with an empty journal. */
export function startProgress(plan: ExecutionPlan): Progress {
  const root = newFrame(plan.graph, "", undefined);
  const progress: Progress = {
    root,
    live: new Map(),
    due: { start: new Map(), skip: new Set(), complete: new Map(), cancel: new Set() },
    changed: new Set(),
    failing: new Set(),
    stop: undefined,
    failure: undefined,
  };
  startRoots(progress, root);
  return progress;
}

/** Opens a loop. Its iterations start after all current changes are applied. */
export function openLoop(progress: Progress, frame: Frame, node: PlanNode, items: number): void {
  const known = frame.loops[node.index];
  if (known !== undefined) return;
  const loop: Loop = {
    frame,
    node,
    path: frame.prefix + node.id,
    items,
    last: undefined,
    frames: new Map(),
    finished: [],
    outputs: [],
    finishedCount: 0,
    next: 0,
    failure: undefined,
  };
  frame.loops[node.index] = loop;
  progress.changed.add(loop);
}

/** The frame of an iteration. Starts the iteration if needed. */
export function enterIteration(progress: Progress, loop: Loop, index: number): Frame | undefined {
  const under = loop.frames.get(index);
  if (under !== undefined) return under;
  const { body } = loop.node;
  const exists = Number.isInteger(index) && index >= 0 && index < loop.items;
  if (body === undefined || !exists || loop.finished[index] === true) return undefined;
  const frame = newFrame(body, iterationPrefix(loop.path, index), { loop, index });
  loop.frames.set(index, frame);
  startRoots(progress, frame);
  if (frame.unsettled === 0) finish(progress, frame);
  return frame;
}

/** The edges taken by a step: edges of its branch, optionally with unlabelled edges. */
export interface Exit {
  readonly branch: string | undefined;
  readonly unlabelled: boolean;
}
export const DEAD: Exit = { branch: undefined, unlabelled: false };
export const ERROR: Exit = { branch: "error", unlabelled: false };
export const PLAIN: Exit = { branch: undefined, unlabelled: true };

/** Settles a step: its edges are taken or dead, which can make other steps due. */
export function settle(progress: Progress, frame: Frame, node: PlanNode, exit: Exit): void {
  frame.phases[node.index] = PHASE.settled;
  for (const { to, when, always } of node.outgoing) {
    const isTaken = when === undefined ? exit.unlabelled : when === exit.branch;
    if (always || isTaken) frame.reached[to] = 1;
    const open = (frame.open[to] ?? 0) - 1;
    frame.open[to] = open;
    if (open === 0 && frame.phases[to] === PHASE.unreached) resolve(progress, frame, to);
  }
  // Decremented last: steps skipped during settlement also decrement it, and the frame must end only once.
  frame.unsettled -= 1;
  if (frame.standing) settleBranch(progress, frame, node);
  else if (frame.unsettled === 0) finish(progress, frame);
}

/** Ends a race when all nodes of a branch are settled. */
function settleBranch(progress: Progress, frame: Frame, { index }: PlanNode): void {
  const { standing, graph } = frame;
  const branch = graph.contest?.branchOf[index] ?? 0;
  if (!standing) return;
  standing.unsettled[branch] = (standing.unsettled[branch] ?? 0) - 1;
  if (standing.unsettled[branch] > 0 || standing.winner !== undefined) return;
  if (standing.failed[branch] === true) return;
  standing.winner = branch;
  // Deferred until the journal is applied completely, because the active steps of other branches must be known to be
  // cancelled.
  if (frame.of) progress.changed.add(frame.of.loop);
}

function resolve(progress: Progress, frame: Frame, index: number): void {
  const node = frame.graph.nodes[index];
  if (node === undefined) return;
  const path = frame.prefix + node.id;
  if (frame.reached[index] === 1) {
    // A failed branch of a race does not continue.
    if (frame.standing?.failed[frame.graph.contest?.branchOf[index] ?? 0] === true) return;
    frame.phases[index] = PHASE.due;
    progress.due.start.set(path, { frame, node });
  } else {
    progress.due.skip.add(path);
    settle(progress, frame, node, DEAD);
  }
}

function startRoots(progress: Progress, frame: Frame): void {
  const { starts, roots } = frame.graph;
  if (starts) {
    for (const index of starts) frame.reached[index] = 1;
    // Steps without incoming edges are due or skipped, which determines all others.
    for (const { index } of roots) {
      if (frame.phases[index] === PHASE.unreached) resolve(progress, frame, index);
    }
    return;
  }
  for (const node of roots) {
    frame.phases[node.index] = PHASE.due;
    progress.due.start.set(frame.prefix + node.id, { frame, node });
  }
}

/** Ends an iteration. */
export function finish(progress: Progress, { of, graph, outputs, standing }: Frame): void {
  if (of === undefined) return;
  const { loop, index } = of;
  loop.frames.delete(index);
  loop.finished[index] = true;
  loop.finishedCount += 1;
  progress.changed.add(loop);
  if (!loop.node.collects && !loop.node.repeats) return;
  const { contest } = graph;
  const ended = graph.sinks.filter(
    (sink) =>
      sink.index in outputs &&
      (contest === undefined || contest.branchOf[sink.index] === standing?.winner),
  );
  const output = combineOutputs(ended.map((sink) => [sink.id, outputs[sink.index]]));
  if (contest) {
    const winner = contest.names[standing?.winner ?? 0] ?? "";
    loop.outputs[index] = { winner, output: output ?? null };
    return;
  }
  if (loop.node.repeats) finishTurn(loop, index, output);
  else loop.outputs[index] = output;
}

/** Decides after the final step if the iteration was the last one. */
function finishTurn(loop: Loop, index: number, output: unknown): void {
  const { done, state } = Object(output) as { readonly done?: unknown; readonly state?: unknown };
  if (loop.node.collects) loop.outputs[index] = state ?? null;
  if (done === true) loop.items = index + 1;
  if (index + 1 === loop.items) loop.last = { done: done === true, state: state ?? null };
}

function newFrame(graph: Graph, prefix: string, of: Frame["of"]): Frame {
  const size = graph.nodes.length;
  return {
    graph,
    prefix,
    of,
    open: graph.incoming.slice(),
    reached: new Uint8Array(size),
    phases: new Uint8Array(size),
    outputs: [],
    loops: [],
    unsettled: size,
    standing: graph.contest && {
      unsettled: [...graph.contest.sizes],
      failed: [],
      failure: undefined,
      winner: undefined,
    },
  };
}
