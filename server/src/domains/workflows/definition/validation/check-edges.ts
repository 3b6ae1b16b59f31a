import { Validator } from "#kernel/schema/validator.ts";
import type { Steps } from "#kernel/work/turn-timer.ts";
import { type CheckContext, errorReporter } from "./check-context.ts";
import { Edge } from "../definition.ts";

/** A node, as needed for checking edges. */
export interface KnownNode {
  /** Its errors take the edges with `when: error`. */
  readonly handlesErrors: boolean;
  /** Undefined if the type is unknown. */
  readonly branches: readonly string[] | undefined;
}

const validator = new Validator(Edge, "body");

/** Checks the ends and labels of edges, and that there are no cycles. */
export function* checkEdges(
  ctx: CheckContext,
  edges: readonly unknown[],
  nodes: ReadonlyMap<string, KnownNode>,
  path: string,
): Steps<void> {
  const seen = new Set<string>();
  const validEdges = new Map<number, Edge>();
  for (const [index, value] of edges.entries()) {
    yield;
    const report = errorReporter(ctx, `${path}/${index}`);
    const result = validator.check(value);
    if ("errors" in result) {
      report(result.errors);
      continue;
    }
    // It matches the schema.
    const edge = result.value as Edge;
    const missingEnds = (["from", "to"] as const).filter((end) => !nodes.has(edge[end]));
    report(missingEnds.map((end) => ({ path: `/${end}`, message: "is not a node of this graph" })));
    const labelError = edgeLabelError(edge, nodes.get(edge.from));
    if (labelError !== undefined) report([{ path: "/when", message: labelError }]);
    const key = JSON.stringify([edge.from, edge.to, edge.when]);
    if (seen.has(key)) report([{ path: "", message: "appears twice" }]);
    else if (missingEnds.length === 0) validEdges.set(index, edge);
    seen.add(key);
  }
  for (const [index, cycle] of findClosingEdges(validEdges)) {
    const message = `closes a cycle: ${cycle.join(" → ")}; only a loop repeats steps`;
    errorReporter(ctx, `${path}/${index}`)([{ path: "", message }]);
  }
}

function edgeLabelError({ when }: Edge, from: KnownNode | undefined): string | undefined {
  if (when === undefined || from?.branches === undefined) return undefined;
  if (when === "error") {
    return from.handlesErrors ? undefined : "is error, but onError of the step is not branch";
  }
  if (from.branches.includes(when)) return undefined;
  return from.branches.length === 0
    ? "is set, but the step has no branches"
    : `must be one of ${from.branches.join(", ")}`;
}

/** Finds edges closing a cycle by depth-first search, with the cycle. */
function findClosingEdges(edges: ReadonlyMap<number, Edge>): Map<number, readonly string[]> {
  const outgoing = Map.groupBy(edges, ([, { from }]) => from);
  const closing = new Map<number, readonly string[]>();
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (id: string): void => {
    path.push(id);
    for (const [index, { to }] of outgoing.get(id) ?? []) {
      const back = path.indexOf(to);
      if (back >= 0) closing.set(index, [...path.slice(back), to]);
      else if (!done.has(to)) visit(to);
    }
    path.pop();
    done.add(id);
  };
  for (const id of outgoing.keys()) if (!done.has(id)) visit(id);
  return closing;
}
