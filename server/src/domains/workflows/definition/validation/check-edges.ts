import { Validator } from "#kernel/schema/validator.ts";
import { type CheckContext, errorReporter } from "./check-context.ts";
import { Edge } from "../definition.ts";

/** What the edges of a graph must know about a node. */
export interface KnownNode {
  /** By a branch. */
  readonly handlesErrors: boolean;
  /** Unknown when its type is. */
  readonly branches: readonly string[] | undefined;
}

const shape = new Validator(Edge, "body");

/** Finds the faults of the edges: their ends, their labels, and whether they close cycles. */
export function checkEdges(
  checking: CheckContext,
  edges: readonly unknown[],
  nodes: ReadonlyMap<string, KnownNode>,
  path: string,
): void {
  const seen = new Set<string>();
  const sound = new Map<number, Edge>();
  for (const [index, value] of edges.entries()) {
    const report = errorReporter(checking, `${path}/${index}`);
    const result = shape.check(value);
    if ("faults" in result) {
      report(result.faults);
      continue;
    }
    // It has the shape.
    const edge = result.value as Edge;
    const lost = (["from", "to"] as const).filter((end) => !nodes.has(edge[end]));
    report(lost.map((end) => ({ path: `/${end}`, message: "is not a node of this graph" })));
    const label = faultOfLabel(edge, nodes.get(edge.from));
    if (label !== undefined) report([{ path: "/when", message: label }]);
    const key = JSON.stringify([edge.from, edge.to, edge.when]);
    if (seen.has(key)) report([{ path: "", message: "is there twice" }]);
    else if (lost.length === 0) sound.set(index, edge);
    seen.add(key);
  }
  for (const [index, cycle] of closingEdges(sound)) {
    const message = `closes a cycle: ${cycle.join(" → ")}; only a loop repeats steps`;
    errorReporter(checking, `${path}/${index}`)([{ path: "", message }]);
  }
}

function faultOfLabel({ when }: Edge, from: KnownNode | undefined): string | undefined {
  if (when === undefined || from?.branches === undefined) return undefined;
  if (when === "error") {
    return from.handlesErrors ? undefined : "is error, but the node's onError is not branch";
  }
  if (from.branches.includes(when)) return undefined;
  return from.branches.length === 0
    ? "names a branch, but the node has none"
    : `must be one of ${from.branches.join(", ")}`;
}

/** The edges that lead back to where a walk along the edges came from, each with that way. */
function closingEdges(edges: ReadonlyMap<number, Edge>): Map<number, readonly string[]> {
  const outgoing = Map.groupBy(edges, ([, { from }]) => from);
  const closing = new Map<number, readonly string[]>();
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (id: string): void => {
    way.push(id);
    for (const [index, { to }] of outgoing.get(id) ?? []) {
      const back = way.indexOf(to);
      if (back >= 0) closing.set(index, [...way.slice(back), to]);
      else if (!done.has(to)) visit(to);
    }
    way.pop();
    done.add(id);
  };
  for (const id of outgoing.keys()) if (!done.has(id)) visit(id);
  return closing;
}
