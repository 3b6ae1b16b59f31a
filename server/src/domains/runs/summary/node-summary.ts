/**
 * Counts the steps of a run by node. A loop of ten thousand items is shown as counts, with details per item. The key
 * of a node is its path through the loops, `each/lines/label`.
 */
import Type, { type Static } from "typebox";
import { type ExecutionPlan, nodeAt } from "#domains/workflows/index.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import type { JournalRecord } from "../engine/journal-record.ts";
import { listStartedSteps, toStepStatus, type Traceable } from "../run-trace.ts";
import type { RunStep } from "../run.ts";

const Counts = Type.Record(Type.String(), Type.Integer());

export const NodeSummary = Type.Object(
  {
    key: Type.String({ description: "`call`, or `each/lines/call` for a node in loops" }),
    nodeId: Type.String(),
    name: Type.String(),
    type: nullable(Type.String()),
    total: Type.Integer({ description: "Number of steps: one, or one per item" }),
    statuses: Type.Unsafe<Readonly<Record<string, number>>>({
      ...Counts,
      description: "Number of steps by status",
    }),
    branches: Type.Unsafe<Readonly<Record<string, number>>>({
      ...Counts,
      description: "Number of steps by branch",
    }),
    loop: Type.Optional(
      Type.Object(
        {
          items: Type.Integer(),
          done: Type.Integer({ description: "Items whose steps have all ended without failure" }),
          failed: Type.Integer({ description: "Items with a step that failed" }),
        },
        {
          description:
            "For a loop: total number of items. For an inner loop: the sum over all items of the outer loops",
        },
      ),
    ),
    firstFailedId: Type.Optional(Type.String({ description: "The first step that failed" })),
    startedAt: nullable(Time),
    finishedAt: nullable(Time),
  },
  { title: "RunNodeSummary" },
);
export type NodeSummary = Static<typeof NodeSummary>;

export function nodeKeyOf(path: string): string {
  return path.includes("[") ? path.replaceAll(/\[\d+\]\./g, "/") : path;
}

/** The summary of the current state of a run. */
export function summariseRun(run: Traceable): NodeSummary[] {
  const tally = new NodeTally(run.plan);
  for (const record of [...listStartedSteps(run), ...run.steps.values()]) tally.put(run, record);
  return tally.summaries();
}

const OVER: ReadonlySet<RunStep["status"]> = new Set([
  "completed",
  "failed",
  "skipped",
  "cancelled",
]);

interface Step {
  readonly status: RunStep["status"];
  readonly branch: string | undefined;
  readonly items: number;
}

interface NodeCount {
  readonly statuses: Map<string, number>;
  readonly branches: Map<string, number>;
  total: number;
  items: number;
  done: number;
  failed: number;
  startedAt: string | null;
  finishedAt: string | null;
  failedPaths: Set<string>;
}

interface ItemCount {
  over: number;
  failed: number;
}

/** The counts of a run, updated with each change. */
export class NodeTally {
  readonly #plan: ExecutionPlan | undefined;
  readonly #steps = new Map<string, Step>();
  readonly #nodes = new Map<string, NodeCount>();
  readonly #items = new Map<string, ItemCount>();
  readonly #bodySizes = new Map<string, number>();
  readonly #changed = new Set<string>();

  constructor(plan: ExecutionPlan | undefined) {
    this.#plan = plan;
  }

  /** Counts a step by its latest record. */
  put(run: Pick<Traceable, "status" | "nowMs">, record: JournalRecord): void {
    const { path, branch, items = 0, startedAt, finishedAt } = record;
    const status = toStepStatus(run, record);
    const before = this.#steps.get(path);
    if (before && before.status === status && before.branch === branch && before.items === items) {
      return;
    }
    this.remove(path);
    const step = { status, branch, items };
    this.#steps.set(path, step);
    this.#count(path, step, 1);
    const node = this.#nodeOf(nodeKeyOf(path));
    if (startedAt !== undefined && (node.startedAt ?? "~") > startedAt) node.startedAt = startedAt;
    if (finishedAt !== undefined && (node.finishedAt ?? "") < finishedAt) {
      node.finishedAt = finishedAt;
    }
  }

  /** Removes a step that will run again. */
  remove(path: string): void {
    const step = this.#steps.get(path);
    if (!step) return;
    this.#steps.delete(path);
    this.#count(path, step, -1);
  }

  /** All nodes with steps, unordered. */
  summaries(): NodeSummary[] {
    this.#changed.clear();
    return [...this.#nodes.keys()].map((key) => this.#summaryOf(key));
  }

  /** The nodes that changed since the last call of this method or of `summaries`. */
  takeChanges(): NodeSummary[] {
    const keys = [...this.#changed];
    this.#changed.clear();
    return keys.map((key) => this.#summaryOf(key));
  }

  #count(path: string, { status, branch, items }: Step, sign: 1 | -1): void {
    const key = nodeKeyOf(path);
    const node = this.#nodeOf(key);
    node.total += sign;
    node.items += sign * items;
    add(node.statuses, status, sign);
    if (branch !== undefined) add(node.branches, branch, sign);
    if (status === "failed" && sign > 0) node.failedPaths.add(path);
    if (sign < 0) node.failedPaths.delete(path);
    this.#changed.add(key);
    this.#countItem(path, status, sign);
  }

  /** Counts a step for the item of the innermost loop. */
  #countItem(path: string, status: RunStep["status"], sign: 1 | -1): void {
    const end = path.lastIndexOf("].");
    if (end < 0 || !OVER.has(status)) return;
    const itemPath = path.slice(0, end);
    const item = this.#items.get(itemPath) ?? { over: 0, failed: 0 };
    this.#items.set(itemPath, item);
    const loopKey = nodeKeyOf(itemPath.slice(0, itemPath.lastIndexOf("[")));
    const node = this.#nodeOf(loopKey);
    const size = this.#bodySizeOf(loopKey);
    node.done -= isDone(item, size);
    node.failed -= item.failed > 0 ? 1 : 0;
    item.over += sign;
    if (status === "failed") item.failed += sign;
    node.done += isDone(item, size);
    node.failed += item.failed > 0 ? 1 : 0;
    this.#changed.add(loopKey);
  }

  /** The number of steps per item of a loop. */
  #bodySizeOf(loopKey: string): number {
    let size = this.#bodySizes.get(loopKey);
    if (size === undefined) {
      size = this.#plannedNode(loopKey)?.body?.nodes.length ?? Number.POSITIVE_INFINITY;
      this.#bodySizes.set(loopKey, size);
    }
    return size;
  }

  #plannedNode(key: string) {
    return this.#plan && nodeAt(this.#plan.graph, key.replaceAll("/", "[0]."));
  }

  #nodeOf(key: string): NodeCount {
    let node = this.#nodes.get(key);
    if (!node) {
      const counts = { total: 0, items: 0, done: 0, failed: 0, startedAt: null, finishedAt: null };
      const maps = { statuses: new Map(), branches: new Map(), failedPaths: new Set<string>() };
      this.#nodes.set(key, (node = { ...counts, ...maps }));
    }
    return node;
  }

  #summaryOf(key: string): NodeSummary {
    const node = this.#nodeOf(key);
    const planned = this.#plannedNode(key);
    const nodeId = key.slice(key.lastIndexOf("/") + 1);
    const { items, done, failed } = node;
    const [firstFailedId] = node.failedPaths;
    return {
      key,
      nodeId,
      name: planned?.name ?? nodeId,
      type: planned?.type.type ?? null,
      total: node.total,
      statuses: toCounts(node.statuses),
      branches: toCounts(node.branches),
      ...(planned?.type.iterates && { loop: { items, done, failed } }),
      ...(firstFailedId !== undefined && { firstFailedId }),
      startedAt: node.startedAt,
      finishedAt: node.finishedAt,
    };
  }
}

function isDone({ over, failed }: ItemCount, size: number): 0 | 1 {
  return over >= size && failed === 0 ? 1 : 0;
}

function add(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function toCounts(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].filter(([, count]) => count > 0));
}
