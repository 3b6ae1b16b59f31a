import type { ExecutionPlan, PlanNode } from "../definition/index.ts";
import { type Iteration, nodeAt, parsePath } from "./path.ts";
import { isUnhandledFailure, type StepRecord } from "./step.ts";

/** The records dropped or reopened by a retry. Recompute the progress afterwards. */
export interface Reset {
  /** Paths of records to delete, as if these steps had not started. */
  readonly forget: readonly string[];
  /** Records to write: loops that continue with their completed iterations. */
  readonly reopen: readonly StepRecord[];
}

type Steps = ReadonlyMap<string, StepRecord>;

/**
 * The reset for retrying an ended run: from its start; from the failure, keeping all completed steps; or from a step,
 * with all steps downstream. Undefined if the step does not exist.
 */
export function resetFrom(
  plan: ExecutionPlan,
  steps: Steps,
  from: "failed" | "start" | (string & {}),
): Reset | undefined {
  if (from === "start") return { forget: [...steps.keys()], reopen: [] };
  const broken = findBroken(plan, steps, "");
  if (from === "failed") return toReset(steps, broken);
  const node = nodeAt(plan.graph, from);
  if (node === undefined) return undefined;
  const forget = [...broken.forget, from, ...findDownstream(plan, from)];
  const loops = parsePath(from).iterations.map(({ path }) => path);
  for (const loop of loops) forget.push(...findDownstream(plan, loop));
  return toReset(steps, { forget, reopen: [...broken.reopen, ...loops] });
}

/** The reset for the next attempt of a loop, which keeps the completed iterations. */
export function resetLoop(plan: ExecutionPlan, steps: Steps, path: string): Reset {
  const { forget, reopen } = toReset(steps, findBroken(plan, steps, path));
  const record = steps.get(path);
  if (record?.items === undefined) return { forget: [...forget, path], reopen };
  return { forget, reopen: [...reopen, toReopenedRecord(record, record.attempts + 1)] };
}

interface Paths {
  readonly forget: readonly string[];
  readonly reopen: readonly string[];
}

/** The failed or cancelled steps in a loop or in the complete run. */
function findBroken({ graph }: ExecutionPlan, steps: Steps, within: string): Paths {
  const forget: string[] = [];
  const reopen: string[] = [];
  const isBroken = (record: StepRecord | undefined, node: PlanNode | undefined): boolean => {
    if (record === undefined || node === undefined) return false;
    return record.status === "cancelled" || isUnhandledFailure(node, record);
  };
  // A failure handled by `onError` of its loop is not a failure of the run.
  const counts = ({ path }: Iteration): boolean =>
    path.length <= within.length || isBroken(steps.get(path), nodeAt(graph, path));
  for (const [path, record] of steps) {
    if (within !== "" && !path.startsWith(`${within}[`)) continue;
    if (record.status !== "failed" && record.status !== "cancelled") continue;
    if (!isBroken(record, nodeAt(graph, path))) continue;
    if (!parsePath(path).iterations.every(counts)) continue;
    (record.items === undefined ? forget : reopen).push(path);
  }
  return { forget, reopen };
}

/** The successors of a step in its own iteration. */
function findDownstream({ graph }: ExecutionPlan, path: string): string[] {
  const { iterations, id } = parsePath(path);
  const last = iterations.at(-1);
  const prefix = last === undefined ? "" : path.slice(0, path.length - id.length);
  const scope = last === undefined ? graph : nodeAt(graph, last.path)?.body;
  const found = new Set<PlanNode>();
  const visit = (node: PlanNode | undefined): void => {
    for (const { to } of node?.outgoing ?? []) {
      const next = scope?.nodes[to];
      if (next === undefined || found.has(next)) continue;
      found.add(next);
      visit(next);
    }
  };
  visit(scope?.byId.get(id));
  return [...found].map((node) => prefix + node.id);
}

/** The records for these paths. Dropping a loop drops its steps. */
function toReset(steps: Steps, paths: Paths): Reset {
  const forgotten = new Set(paths.forget);
  const isForgotten = (path: string): boolean =>
    forgotten.has(path) ||
    parsePath(path).iterations.some((iteration) => forgotten.has(iteration.path));
  const reopen = [...new Set(paths.reopen)].flatMap((path) => {
    const record = steps.get(path);
    return record?.items === undefined || isForgotten(path) ? [] : [toReopenedRecord(record, 1)];
  });
  return { forget: [...steps.keys()].filter(isForgotten), reopen };
}

function toReopenedRecord(record: StepRecord, attempts: number): StepRecord {
  const { output: _, error: __, branch: ___, retryAtMs: ____, ...fields } = record;
  return { ...fields, status: "running", attempts };
}
