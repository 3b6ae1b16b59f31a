/**
 * Finds the start steps of a run: steps without incoming edges, unless `start` is false. A step that lost its last
 * edge in the editor must not start for that reason.
 */
import {
  bodyOf,
  type Definition,
  type Edge,
  type Graph,
  type Step,
  toKey,
  walkSteps,
} from "./graph.ts";

/** Represents the trigger as the source of an edge. */
const START = "*";

/** Returns the start steps of a graph, either of the workflow or of a loop body. */
export function headsOf({ nodes, edges }: Graph): readonly string[] {
  const followers = new Set(edges.map(({ to }) => to));
  return nodes.flatMap(({ id, start }) => (followers.has(id) || start === false ? [] : [id]));
}

/** Returns the keys of steps that no run reaches, including those in loops. */
export function unconnectedKeys(root: Definition): ReadonlySet<string> {
  const { trigger, triggers = [] } = root;
  const named = [trigger, ...triggers].flatMap(({ start }) => start ?? []);
  const own = [...findUnconnected(root, named)];
  const inner = [...walkSteps(root)].flatMap(([key, step]) => {
    const body = bodyOf(step);
    return body ? [...findUnconnected(body)].map((id) => toKey(key, id)) : [];
  });
  return new Set([...own, ...inner]);
}

function findUnconnected(graph: Graph, starts: readonly string[] = []): ReadonlySet<string> {
  const pending = [...headsOf(graph), ...starts];
  const reached = new Set(pending);
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    for (const { from, to } of graph.edges) {
      if (from !== id || reached.has(to)) continue;
      reached.add(to);
      pending.push(to);
    }
  }
  return new Set(graph.nodes.flatMap(({ id }) => (reached.has(id) ? [] : [id])));
}

/** Edits the edges, including those from the trigger. A step without incoming edges does not run. */
export function editLines(graph: Graph, edit: (graph: Graph) => Graph): Graph {
  const lines = headsOf(graph).map((to): Edge => ({ from: START, to }));
  const { nodes, edges } = edit({ nodes: graph.nodes, edges: [...lines, ...graph.edges] });
  const followers = new Set(edges.map(({ to }) => to));
  return {
    nodes: nodes.map((step) => markStart(step, followers.has(step.id))),
    edges: edges.filter(({ from }) => from !== START),
  };
}

/** Adds or removes the start mark of a step without incoming edges. */
export function turnStart({ nodes, edges }: Graph, id: string, isStart: boolean): Graph {
  return { nodes: nodes.map((step) => (step.id === id ? markStart(step, isStart) : step)), edges };
}

/** Removes the start mark from steps with incoming edges, which do not need it. */
export function dropStarts({ nodes, edges }: Graph): Graph {
  const followers = new Set(edges.map(({ to }) => to));
  return {
    nodes: nodes.map((step) => (followers.has(step.id) ? markStart(step, true) : step)),
    edges,
  };
}

function markStart(step: Step, isStart: boolean): Step {
  if (isStart === (step.start !== false)) return step;
  const { start: _, ...rest } = step;
  return isStart ? rest : { ...rest, start: false };
}
