import { BACKOFF_MS_MAX, type GraphDefinition, type Node, type OnError } from "./definition.ts";
import type { Config, NodeType, NodeTypes } from "./node-type.ts";

/** A compiled definition: immutable, so that any number of runs can share one. */
export interface ExecutionPlan {
  readonly graph: Graph;
  /** True when a step of it can give the response of a run. */
  readonly answers: boolean;
}

/** The nodes of a workflow or of a loop's body, in topological order. */
export interface Graph {
  readonly nodes: readonly PlanNode[];
  readonly byId: ReadonlyMap<string, PlanNode>;
  /** For each node the number of edges that lead to it. */
  readonly incoming: readonly number[];
  readonly roots: readonly PlanNode[];
  readonly sinks: readonly PlanNode[];
}

export interface PlanNode {
  /** Its place in the graph's `nodes`. */
  readonly index: number;
  readonly id: string;
  readonly name: string | undefined;
  readonly type: NodeType;
  readonly config: Config;
  readonly retry: RetryRule | undefined;
  readonly timeoutMs: number | undefined;
  readonly onError: OnError;
  readonly outgoing: readonly PlanEdge[];
  /** Of a loop. */
  readonly body: Graph | undefined;
  readonly concurrency: number;
  /** False for a loop whose output is not the list of its iterations' outputs. */
  readonly collects: boolean;
}

export interface RetryRule {
  readonly maxAttempts: number;
  readonly backoffMs: number;
  readonly strategy: "fixed" | "exponential";
  readonly maxDelayMs: number;
  /** Statuses of refusals that are retried all the same. */
  readonly statuses: readonly number[];
}

/** An edge, seen from the node that it leaves. */
export interface PlanEdge {
  readonly to: number;
  readonly when: string | undefined;
}

const BACKOFF_MS_DEFAULT = 1_000;

/** Compiles a definition that has been checked; an invalid one is our bug, and throws. */
export function compilePlan(definition: GraphDefinition, types: NodeTypes): ExecutionPlan {
  const graph = compileGraph(definition, types);
  return { graph, answers: graph.nodes.some(({ type }) => type.answers === true) };
}

function compileGraph({ nodes, edges }: GraphDefinition, types: NodeTypes): Graph {
  const ordered = sortTopologically({ nodes, edges });
  const indexes = new Map(ordered.map(({ id }, index) => [id, index]));
  const outgoing = Map.groupBy(edges, ({ from }) => from);
  const incoming = ordered.map(() => 0);
  const planNodes = ordered.map((node, index): PlanNode => {
    const outgoingEdges = (outgoing.get(node.id) ?? []).map(({ to, when }): PlanEdge => {
      const target = indexes.get(to) ?? throwMissing(to);
      incoming[target] = (incoming[target] ?? 0) + 1;
      return { to: target, when };
    });
    return { ...compileNode(node, types), index, outgoing: outgoingEdges };
  });
  return {
    nodes: planNodes,
    byId: new Map(planNodes.map((node) => [node.id, node])),
    incoming,
    roots: planNodes.filter(({ index }) => incoming[index] === 0),
    sinks: planNodes.filter((node) => node.outgoing.length === 0),
  };
}

function compileNode(node: Node, types: NodeTypes): Omit<PlanNode, "index" | "outgoing"> {
  const declared = types.get(node.type) ?? throwMissing(node.type);
  const { config = {}, retry } = node;
  const type = { ...declared, ...declared.inFact?.(config) };
  const { concurrency, collect } = config;
  return {
    id: node.id,
    name: node.name,
    type,
    config,
    retry: retry && {
      maxAttempts: retry.maxAttempts,
      backoffMs: retry.backoffMs ?? BACKOFF_MS_DEFAULT,
      strategy: retry.strategy ?? "exponential",
      maxDelayMs: BACKOFF_MS_MAX,
      statuses: retry.statuses ?? [],
    },
    timeoutMs: node.timeoutMs,
    onError: type.alwaysFails ? "fail" : (node.onError ?? "fail"),
    // A checked loop has a body that is a checked graph.
    body: type.iterates && compileGraph(config["body"] as GraphDefinition, types),
    concurrency: typeof concurrency === "number" ? concurrency : 1,
    collects: collect !== false,
  };
}

/** Sorts the nodes so that every edge leads forward; otherwise as they were written. */
function sortTopologically({ nodes, edges }: GraphDefinition): readonly Node[] {
  const outgoing = Map.groupBy(edges, ({ from }) => from);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const openEdges = new Map(nodes.map(({ id }) => [id, 0]));
  for (const { to } of edges) openEdges.set(to, (openEdges.get(to) ?? 0) + 1);
  const ordered = nodes.filter(({ id }) => openEdges.get(id) === 0);
  // The list grows while it is walked: a node follows once all that lead to it are in it.
  for (const { id } of ordered) {
    for (const { to } of outgoing.get(id) ?? []) {
      const left = (openEdges.get(to) ?? 0) - 1;
      openEdges.set(to, left);
      if (left === 0) ordered.push(byId.get(to) ?? throwMissing(to));
    }
  }
  if (ordered.length !== nodes.length) throw new TypeError("The graph has a cycle.");
  return ordered;
}

function throwMissing(what: string): never {
  throw new TypeError(`The definition names ${what}, which is not there.`);
}
