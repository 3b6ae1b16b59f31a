import {
  nextDecision,
  type Graph,
  nodeAt,
  parsePath,
  type ExecutionPlan,
  type PlanNode,
} from "#domains/workflows/index.ts";
import type { JournalRecord, Wait } from "./engine/journal-record.ts";
import { isOver } from "./engine/store.ts";
import type { RunStatus, Step, TracedRun } from "./run.ts";
import { durationOf } from "./store.ts";

/** More than this is more than anybody reads at a time. */
const CHARACTERS_MAX = 16_000_000;

/** What a trace is made of. A version that is no longer kept has no plan. */
export interface Traceable {
  readonly status: RunStatus;
  readonly plan: ExecutionPlan | undefined;
  readonly steps: ReadonlyMap<string, JournalRecord>;
  readonly nowMs: number;
}

/** Which part of a trace. */
export interface Part {
  readonly limit: number;
  /** Behind the step with this path. */
  readonly after?: string | undefined;
}

/** The steps in the order in which they were begun; those that were not, in that of the graph. */
export function traceOf(run: Traceable, { limit, after }: Part): TracedRun["trace"] {
  const records = [...run.steps.values(), ...startedOf(run)].toSorted(inOrder(run.plan?.graph));
  const start = after === undefined ? 0 : records.findIndex(({ path }) => path === after) + 1;
  const steps: Step[] = [];
  let characters = 0;
  for (const record of records.slice(start, start + limit)) {
    characters += JSON.stringify([record.input, record.output]).length;
    if (characters > CHARACTERS_MAX && steps.length > 0) break;
    steps.push(stepOf(run, record));
  }
  const truncated = start + steps.length < records.length;
  return { steps, total: records.length, truncated };
}

/**
 * The journal does not say that a step was begun. What is to be started by what it says is under way
 * while the run is, and was cut off when it is over.
 */
export function startedOf({ status, plan, steps }: Traceable): JournalRecord[] {
  if (!plan || status === "queued" || status === "completed") return [];
  return nextDecision(plan, {}, steps).start.map(({ path, node }) => ({
    path,
    node: node.id,
    status: "running",
    attempts: 1,
  }));
}

/** One step as it is shown. */
export function stepOf(run: Traceable, record: JournalRecord): Step {
  const { path, node: nodeId, attempts, input, output, error, branch, items, logs } = record;
  const node = run.plan && nodeAt(run.plan.graph, path);
  const status = statusOf(run, record);
  const wait = status === "waiting" || status === "paused" ? waitOf(record) : undefined;
  return {
    id: path,
    nodeId,
    name: node?.name ?? nodeId,
    type: node?.type.type ?? null,
    status,
    attempts,
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error: { code: error.code, message: error.message } }),
    ...(branch !== undefined && { branch }),
    ...(items !== undefined && { items }),
    ...(wait !== undefined && { wait }),
    logs: logs ? [...logs] : [],
    startedAt: record.startedAt ?? null,
    finishedAt: record.finishedAt ?? null,
    durationMs: durationOf(record.startedAt, record.finishedAt),
  };
}

function statusOf(run: Traceable, { status, retryAtMs }: JournalRecord): Step["status"] {
  const ended = status === "completed" || status === "failed" || status === "skipped";
  if (ended || status === "cancelled") return status;
  if (isOver(run.status)) return "cancelled";
  // Its next attempt is under way.
  const retried = status === "waiting" && retryAtMs !== undefined && retryAtMs <= run.nowMs;
  return status === "ready" || retried ? "running" : status;
}

function waitOf({ wait, retryAtMs }: JournalRecord): Step["wait"] {
  if (retryAtMs !== undefined) return { kind: "retry", until: timeOf(retryAtMs) };
  return wait && shown(wait);
}

function shown(wait: Wait): NonNullable<Step["wait"]> {
  switch (wait.kind) {
    case "delay":
      return { kind: "delay", until: timeOf(wait.untilMs) };
    case "child":
      return { kind: "child", until: null, runId: wait.runId };
    case "event": {
      const { kind, untilMs, filter, ...rest } = wait;
      return { kind, until: timeOf(untilMs), ...rest, ...(filter && { filter: { ...filter } }) };
    }
    case "approval": {
      const { kind, untilMs, approvers, decisions, ...rest } = wait;
      const people = { approvers: [...approvers], decisions: [...decisions] };
      return { kind, until: timeOf(untilMs), ...rest, ...people };
    }
  }
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/** Compares by the time of the start, then by the place in the graph; what never started comes last. */
function inOrder(graph: Graph | undefined): (a: JournalRecord, b: JournalRecord) => number {
  const places = new Map<string, readonly number[]>();
  const placeOf = (path: string): readonly number[] => {
    let place = places.get(path);
    if (!place) places.set(path, (place = graph ? placeIn(graph, path) : []));
    return place;
  };
  return (a, b) => {
    const [left, right] = [a.startedAt ?? "~", b.startedAt ?? "~"];
    if (left !== right) return left < right ? -1 : 1;
    return compare(placeOf(a.path), placeOf(b.path)) || (a.path < b.path ? -1 : 1);
  };
}

/** For each graph on the way the place of the node, and for each loop which time it is. */
function placeIn(graph: Graph, path: string): readonly number[] {
  const { iterations, id } = parsePath(path);
  const place: number[] = [];
  let within: Graph | undefined = graph;
  for (const iteration of iterations) {
    const node: PlanNode | undefined = within?.byId.get(iteration.id);
    place.push(node?.index ?? 0, iteration.index);
    within = node?.body;
  }
  place.push(within?.byId.get(id)?.index ?? 0);
  return place;
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (value !== other) return value - other;
  }
  return left.length - right.length;
}
