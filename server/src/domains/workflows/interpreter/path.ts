/**
 * The path of a step is its node id, prefixed by its iterations: `call`, `each[3].call`, `each[3].inner[0].call`. Ids
 * contain neither brackets nor dots.
 */
import type { Graph, PlanNode } from "../definition/index.ts";

/** The path prefix of all steps in one iteration. */
export function iterationPrefix(loopPath: string, index: number): string {
  return `${loopPath}[${index}].`;
}

/** One iteration around a step: the loop id, the loop path and the iteration number. */
export interface Iteration {
  readonly id: string;
  readonly path: string;
  readonly index: number;
}

/** The iterations around a step, outermost first, and its node id. */
export function parsePath(path: string): { iterations: readonly Iteration[]; id: string } {
  const iterations: Iteration[] = [];
  let start = 0;
  for (;;) {
    const open = path.indexOf("[", start);
    if (open < 0) return { iterations, id: path.slice(start) };
    const close = path.indexOf("]", open);
    const index = Number(path.slice(open + 1, close));
    iterations.push({ id: path.slice(start, open), path: path.slice(0, open), index });
    start = close + 2;
    // The path is invalid.
    if (close < 0) return { iterations, id: "" };
  }
}

/** The number of iterations around the step. */
export function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf("["); at >= 0; at = path.indexOf("[", at + 1)) depth += 1;
  return depth;
}

/** The node of a path, if it exists. */
export function nodeAt(graph: Graph, path: string): PlanNode | undefined {
  const { iterations, id } = parsePath(path);
  let within: Graph | undefined = graph;
  for (const iteration of iterations) within = within?.byId.get(iteration.id)?.body;
  return within?.byId.get(id);
}

/** Returns true if the first step leads to the second, by edges or from an earlier item in a sequential loop. */
export function isBefore(graph: Graph, first: string, then: string): boolean {
  const [earlier, later] = [first, then].map((path) => {
    const { iterations, id } = parsePath(path);
    return [...iterations, { id, index: undefined }];
  });
  let within: Graph | undefined = graph;
  for (const [depth, from] of (earlier ?? []).entries()) {
    const to = later?.[depth];
    const node: PlanNode | undefined = within?.byId.get(from.id);
    if (!within || !node || !to) return false;
    if (to.id !== from.id) return leadsTo(within, node, to.id);
    // A loop is neither before nor after its own steps.
    if (from.index === undefined || to.index === undefined) return false;
    // Parallel items are independent of each other.
    if (from.index !== to.index) return node.concurrency === 1 && from.index < to.index;
    within = node.body;
  }
  return false;
}

function leadsTo({ nodes, byId }: Graph, from: PlanNode, id: string): boolean {
  const target = byId.get(id)?.index ?? -1;
  const reached = new Set([from.index]);
  // Nodes are in topological order, so predecessors come first.
  for (const { index, outgoing } of nodes.slice(from.index, target)) {
    if (reached.has(index)) for (const { to } of outgoing) reached.add(to);
  }
  return target > from.index && reached.has(target);
}
