/** A run for the canvas: the status of each step, for the selected loop items or for all items together. */
import type { Schemas } from "../../data/api.ts";
import { bodyOf, type Graph, placeOf, walkSteps } from "./graph.ts";

export type RunStep = Schemas["RunStep"];
export type NodeSummary = Schemas["RunNodeSummary"];

/** `each[3].lines[0].label` is on the canvas at `each/lines/label`. */
export const toStepKey = (id: string): string => id.replaceAll(/\[\d+\]/g, "").replaceAll(".", "/");
/** Its loop items are 3 and 0. */
export const itemsOf = (id: string): readonly number[] =>
  [...id.matchAll(/\[(\d+)\]/g)].map(([, item]) => Number(item));

export interface LoopView {
  readonly items: number;
  readonly done: number;
  /** The number of failures; only some of them are loaded. */
  readonly failures: number;
  readonly failed: readonly { readonly item: number; readonly step: RunStep }[];
}

type Counts = Readonly<Record<string, number>>;

export interface RunView {
  /** The step run to show: the one of the selected items, or the one with the most important status. */
  readonly steps: ReadonlyMap<string, RunStep>;
  readonly statuses: ReadonlyMap<string, Counts>;
  readonly branches: ReadonlyMap<string, Counts>;
  readonly loops: ReadonlyMap<string, LoopView>;
}

export const NO_RUN: RunView = {
  steps: new Map(),
  statuses: new Map(),
  branches: new Map(),
  loops: new Map(),
};

/** From the least to the most important status. */
const WEIGHTS = ["skipped", "cancelled", "completed", "waiting", "paused", "running", "failed"];
const weigh = ({ status }: RunStep): number => WEIGHTS.indexOf(status);

/** `chosen` maps each loop to its selected item. */
export function viewRun(
  graph: Graph,
  steps: Iterable<RunStep>,
  chosen: ReadonlyMap<string, number>,
): RunView {
  const shown = new Map<string, RunStep>();
  const statuses = new Map<string, Record<string, number>>();
  const branches = new Map<string, Record<string, number>>();
  const loops = new LoopCounter(graph);
  for (const step of steps) {
    const key = toStepKey(step.id);
    const items = itemsOf(step.id);
    const depth = matchItems(key, items, chosen);
    if (depth >= items.length - 1) loops.add(step, key, items);
    if (depth < items.length) continue;
    if (step.items !== undefined) loops.widen(key, step.items);
    increment(statuses, key, step.status);
    if (step.branch !== undefined) increment(branches, key, step.branch);
    const other = shown.get(key);
    if (!other || other.id === step.id || weigh(step) > weigh(other)) shown.set(key, step);
  }
  return { steps: shown, statuses, branches, loops: loops.view() };
}

/**
 * Builds the view of a run from the counts of all steps and the loaded steps. Within a selected loop item, the
 * loaded steps provide the status.
 */
export function viewSummary(
  graph: Graph,
  known: { readonly steps: Iterable<RunStep>; readonly nodes: Iterable<NodeSummary> },
  chosen: ReadonlyMap<string, number>,
): RunView {
  const view = viewRun(graph, known.steps, chosen);
  const steps = new Map(view.steps);
  const statuses = new Map(view.statuses);
  const branches = new Map(view.branches);
  const loops = new Map(view.loops);
  for (const node of known.nodes) {
    const { key, loop } = node;
    if (isInChosen(key, chosen) || node.total === 0) continue;
    const failed = loops.get(key)?.failed ?? [];
    if (loop) {
      const done = Math.min(loop.items, loop.done + loop.failed);
      loops.set(key, { items: loop.items, done, failures: loop.failed, failed });
    }
    if (!key.includes("/")) continue;
    statuses.set(key, node.statuses);
    branches.set(key, node.branches);
    const status = findHeaviest(node.statuses);
    if (steps.get(key)?.status !== status) steps.set(key, standInFor(node, status));
  }
  return { steps, statuses, branches, loops };
}

/** Returns whether an item of a loop around the step is selected. */
function isInChosen(key: string, chosen: ReadonlyMap<string, number>): boolean {
  for (let loop = placeOf(key); loop !== ""; loop = placeOf(loop)) {
    if (chosen.has(loop)) return true;
  }
  return false;
}

/** Returns the most important status. */
export function findHeaviest(counts: Counts): RunStep["status"] {
  const found = WEIGHTS.findLast((status) => (counts[status] ?? 0) > 0);
  return (found ?? "skipped") as RunStep["status"];
}

/** A placeholder for the step runs of a node that were not loaded. */
function standInFor(node: NodeSummary, status: RunStep["status"]): RunStep {
  const { key, nodeId, name, type, startedAt, finishedAt } = node;
  const id = node.firstFailedId ?? key.replaceAll("/", "[0].");
  const times = { startedAt, finishedAt, durationMs: null };
  return { id, nodeId, name, type, status, attempts: 1, logs: [], ...times };
}

/**
 * Returns how many of the loops around the step match the selected items; a loop without a selection matches any
 * item.
 */
function matchItems(
  key: string,
  items: readonly number[],
  chosen: ReadonlyMap<string, number>,
): number {
  const way = key.split("/");
  for (const [depth, item] of items.entries()) {
    const wanted = chosen.get(way.slice(0, depth + 1).join("/"));
    if (wanted !== undefined && wanted !== item) return depth;
  }
  return items.length;
}

function increment(counts: Map<string, Record<string, number>>, key: string, name: string): void {
  const mine = counts.get(key) ?? {};
  counts.set(key, mine);
  mine[name] = (mine[name] ?? 0) + 1;
}

interface ItemState {
  over: number;
  failed: RunStep | undefined;
}

/** Counts the items of each loop. An item is done when it has as many finished steps as the body has steps. */
class LoopCounter {
  readonly #sizes = new Map<string, number>();
  readonly #widths = new Map<string, number>();
  readonly #items = new Map<string, Map<string, ItemState>>();

  constructor(graph: Graph) {
    for (const [key, step] of walkSteps(graph)) {
      const body = bodyOf(step);
      if (body) this.#sizes.set(key, body.nodes.length);
    }
  }

  widen(loop: string, items: number): void {
    this.#widths.set(loop, (this.#widths.get(loop) ?? 0) + items);
  }

  add(step: RunStep, key: string, items: readonly number[]): void {
    if (items.length === 0) return;
    const loop = placeOf(key);
    const mine = this.#items.get(loop) ?? new Map<string, ItemState>();
    this.#items.set(loop, mine);
    const path = items.join(".");
    const state = mine.get(path) ?? { over: 0, failed: undefined };
    mine.set(path, state);
    if (step.finishedAt !== null || step.status === "skipped") state.over += 1;
    if (step.status === "failed") state.failed = step;
  }

  view(): ReadonlyMap<string, LoopView> {
    const views = new Map<string, LoopView>();
    for (const [loop, size] of this.#sizes) {
      const items = this.#widths.get(loop);
      if (items === undefined) continue;
      const states = [...(this.#items.get(loop) ?? [])];
      const failed = states
        .flatMap(([path, { failed: step }]) =>
          step ? [{ item: Number(path.split(".").at(-1)), step }] : [],
        )
        .toSorted((a, b) => a.item - b.item);
      const done = states.filter(([, { over }]) => over >= size).length;
      views.set(loop, { items, done, failures: failed.length, failed });
    }
    return views;
  }
}
