/**
 * The path of a step is the id of its node, behind those of the iterations that it is part of:
 * `call`, `each[3].call`, `each[3].inner[0].call`. An id has neither brackets nor dots.
 */
import type { Graph, PlanNode } from "../definition/index.ts";

/** The prefix of the paths of all steps in one iteration. */
export function iterationPrefix(loopPath: string, index: number): string {
  return `${loopPath}[${index}].`;
}

/** One iteration on the way to a step: the loop's id, its path, and which time it is. */
export interface Iteration {
  readonly id: string;
  readonly path: string;
  readonly index: number;
}

/** The iterations that a step is part of, outermost first, and the id of its node. */
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
    // Not one of our paths: its rest names no node.
    if (close < 0) return { iterations, id: "" };
  }
}

/** How many iterations the step is part of. */
export function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf("["); at >= 0; at = path.indexOf("[", at + 1)) depth += 1;
  return depth;
}

/** The node that a path leads to, when there is one. */
export function nodeAt(graph: Graph, path: string): PlanNode | undefined {
  const { iterations, id } = parsePath(path);
  let within: Graph | undefined = graph;
  for (const iteration of iterations) within = within?.byId.get(iteration.id)?.body;
  return within?.byId.get(id);
}
