import {
  compilePlan,
  type Edge,
  type GraphDefinition,
  type Node,
  nodeTypes,
  type ExecutionPlan,
} from "../../definition/index.ts";
import { builtInNodeTypes } from "../../testing/built-in.ts";
import { nextDecision, type RunDecision, type StepRecord, type Stop } from "../index.ts";

export const types = nodeTypes(builtInNodeTypes);

/** A plan from simplified nodes and edges; edges are `a -> b` or `a -> b: label`. */
export function planOf(nodes: readonly (string | Node)[], ...edges: string[]): ExecutionPlan {
  return compilePlan(graphOf(nodes, ...edges), types);
}

export function graphOf(nodes: readonly (string | Node)[], ...edges: string[]): TestGraph {
  return {
    nodes: nodes.map((node) => (typeof node === "string" ? { id: node, type: "set" } : node)),
    edges: edges.map((edge) => {
      const [, from = "", to = "", when] = /^(\w+) -> (\w+)(?:: (\w+))?$/.exec(edge) ?? [];
      return { from, to, ...(when !== undefined && { when }) };
    }),
  };
}
export type TestGraph = { nodes: Node[]; edges: Edge[] };

export function loopNode(id: string, body: GraphDefinition, more: object = {}): Node {
  const { concurrency = 1, ...rest } = more as { concurrency?: number };
  return { id, type: "loop", config: { items: "{{ trigger.input }}", concurrency, body }, ...rest };
}

/** A short form of a journal: path → status, or more of the record. */
export function journalOf(
  records: Readonly<Record<string, StepRecord["status"] | Partial<StepRecord>>>,
): Map<string, StepRecord> {
  return new Map(
    Object.entries(records).map(([path, fields]) => {
      const rest = typeof fields === "string" ? { status: fields } : fields;
      const node = path.split(".").at(-1)!;
      return [path, { path, node, status: "running", attempts: 1, ...rest }];
    }),
  );
}

/** A comparable form of a decision: sorted, nodes by id, only non-empty fields. */
export function toComparable(decision: RunDecision): Record<string, unknown> {
  const { start, skip, complete, fail, cancel, result } = decision;
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  const lists = {
    start: start.map(({ path }) => path).toSorted(),
    skip: skip.toSorted(),
    complete: complete.toSorted(byPath),
    fail: fail.toSorted(byPath),
    cancel: cancel.toSorted(),
  };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  return { ...Object.fromEntries(filled), ...(result && { over: result }) };
}

export function decide(plan: ExecutionPlan, journal: Map<string, StepRecord>, stop?: Stop) {
  return toComparable(nextDecision(plan, stop ? { stop } : {}, journal));
}
