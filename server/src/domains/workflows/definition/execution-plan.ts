import {
  BACKOFF_MS_MAX,
  type Definition,
  type GraphDefinition,
  type Node,
  type OnError,
} from "./definition.ts";
import { waitForForm } from "./nodes/form-node.ts";
import { loop, REPEAT_CHECK_ID, repeatCheck } from "./nodes/loop-nodes.ts";
import { agentSteps } from "./nodes/model-nodes.ts";
import type { Config, NodeType, NodeTypes } from "./node-type.ts";
import { findUnconnected, listBranches } from "./graph-parts.ts";
import { findTrigger, listTriggers } from "./trigger-list.ts";

/** A compiled definition. It is immutable, so runs can share one. */
export interface ExecutionPlan {
  readonly graph: Graph;
  /** True if a step can send the response of a run. */
  readonly answers: boolean;
  /** True if a step waits for calls at addresses of the run. */
  readonly takesCalls: boolean;
  /** True if a step shows a form to the sender of the previous form. */
  readonly asksSender: boolean;
  /** Plans of triggers with their own start nodes. */
  readonly byTrigger: ReadonlyMap<string, ExecutionPlan>;
}

/** The key of the plan for runs without a trigger. */
const BY_HAND = "";

/** The nodes of a workflow or a loop body in topological order. */
export interface Graph {
  readonly nodes: readonly PlanNode[];
  readonly byId: ReadonlyMap<string, PlanNode>;
  /** The number of incoming edges of each node. */
  readonly incoming: readonly number[];
  readonly roots: readonly PlanNode[];
  /** The start nodes, regardless of their incoming edges. By default all roots start. */
  readonly starts?: ReadonlySet<number>;
  readonly sinks: readonly PlanNode[];
  /** Set for a race. */
  readonly contest?: Contest;
}

/** The branches of a race. */
export interface Contest {
  /** The branch of each node. */
  readonly branchOf: readonly number[];
  /** The number of nodes per branch, by its first node. */
  readonly sizes: readonly number[];
  readonly names: readonly string[];
}

export interface PlanNode {
  /** The index in the graph's `nodes`. */
  readonly index: number;
  readonly id: string;
  readonly name: string | undefined;
  readonly type: NodeType;
  readonly config: Config;
  readonly retry: RetryRule | undefined;
  readonly timeoutMs: number | undefined;
  readonly onError: OnError;
  readonly outgoing: readonly PlanEdge[];
  /** The body of a loop. */
  readonly body: Graph | undefined;
  readonly concurrency: number;
  /** False for a loop whose output is not the list of iteration outputs. */
  readonly collects: boolean;
  /** For a loop: iterations run in sequence until the last step of an iteration ends the loop. */
  readonly repeats: boolean;
  /** For a loop: it was created for a node that runs per item, and has the id of that node. */
  readonly forEach: boolean;
  /** The maximum number of step starts per second. */
  readonly ratePerSecond: number | undefined;
}

export interface RetryRule {
  readonly maxAttempts: number;
  readonly backoffMs: number;
  readonly strategy: "fixed" | "exponential";
  readonly maxDelayMs: number;
  /** Error statuses that are also retried. */
  readonly statuses: readonly number[];
}

/** An edge from the perspective of its source node. */
export interface PlanEdge {
  readonly to: number;
  readonly when: string | undefined;
  /** The edge is taken for any end of the step, unless the step fails the run. */
  readonly always?: true;
}

/** Types that exist only in plans. */
const plannedTypes = new Map<string, NodeType>(agentSteps.map((type) => [type.type, type]));

const BACKOFF_MS_DEFAULT = 1_000;

/** Compiles a checked definition. Throws for an invalid one, because that is a bug. */
export function compilePlan(definition: PlannedDefinition, types: NodeTypes): ExecutionPlan {
  const graph = compileGraph(definition, types);
  const answers = graph.nodes.some(({ type }) => type.answers === true);
  const { trigger, triggers } = definition;
  const byTrigger = new Map<string, ExecutionPlan>();
  const plan = {
    graph,
    answers,
    takesCalls: takesCalls(graph),
    asksSender: graph.nodes.some(asksSender),
    byTrigger,
  };
  if (!trigger) return plan;
  const all = { trigger, ...(triggers && { triggers }) };
  const byHand = findTrigger(all);
  const entries = [...listTriggers(all), ...(byHand ? [{ ...byHand, id: BY_HAND }] : [])];
  for (const {
    id,
    trigger: { start },
  } of entries) {
    if (!start) continue;
    const starts = new Set(start.map((node) => graph.byId.get(node)?.index ?? throwMissing(node)));
    byTrigger.set(id, { ...plan, graph: { ...graph, starts } });
  }
  return plan;
}

function takesCalls({ nodes }: Graph): boolean {
  return nodes.some(
    ({ type, body }) => type.takesCalls === true || (body !== undefined && takesCalls(body)),
  );
}

/** True for a step that shows a form to the sender of the previous form, directly or in its body. */
export function asksSender({
  type,
  config,
  body,
}: Pick<PlanNode, "type" | "config" | "body">): boolean {
  const isAsking = type.type === waitForForm.type && config["shownTo"] === "sender";
  return isAsking || (body?.nodes.some(asksSender) ?? false);
}

/** A complete workflow with its triggers, or a loop body without triggers. */
type PlannedDefinition = GraphDefinition & Partial<Pick<Definition, "trigger" | "triggers">>;

/** The plan of a run, selected by its `trigger` value. */
export function planOfTrigger(
  plan: ExecutionPlan,
  trigger: Readonly<Record<string, unknown>>,
): ExecutionPlan {
  const { id = BY_HAND } = trigger;
  return (typeof id === "string" ? plan.byTrigger.get(id) : undefined) ?? plan;
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
    const compiled = node.forEach ? compileForEach(node, types) : compileNode(node, types);
    return { ...compiled, index, outgoing: outgoingEdges };
  });
  const roots = planNodes.filter(({ index }) => incoming[index] === 0);
  const starting = roots.filter(({ index }) => ordered[index]?.start !== false);
  return {
    nodes: planNodes,
    byId: new Map(planNodes.map((node) => [node.id, node])),
    incoming,
    roots,
    ...(starting.length < roots.length && {
      starts: new Set(starting.map(({ index }) => index)),
    }),
    sinks: planNodes.filter((node) => node.outgoing.length === 0),
  };
}

function compileNode(node: Node, types: NodeTypes): Omit<PlanNode, "index" | "outgoing"> {
  const declared = types.get(node.type) ?? plannedTypes.get(node.type) ?? throwMissing(node.type);
  const { config = {}, retry } = node;
  const type = { ...declared, ...declared.inFact?.(config) };
  const { concurrency, collect } = config;
  // A checked loop has a checked body.
  const graph = type.plans ? type.plans(config, retry) : (config["body"] as GraphDefinition);
  const body = type.iterates && compileGraph(type.races ? connectedPart(graph) : graph, types);
  return {
    id: node.id,
    name: node.name,
    type,
    config,
    retry: type.plans
      ? undefined
      : retry && {
          maxAttempts: retry.maxAttempts,
          backoffMs: retry.backoffMs ?? BACKOFF_MS_DEFAULT,
          strategy: retry.strategy ?? "exponential",
          maxDelayMs: BACKOFF_MS_MAX,
          statuses: retry.statuses ?? [],
        },
    timeoutMs: node.timeoutMs,
    onError: type.alwaysFails ? "fail" : (node.onError ?? "fail"),
    body: body && withEnd(type, body, config),
    concurrency: typeof concurrency === "number" && !type.repeats ? concurrency : 1,
    collects: type.repeats ? collect === true : collect !== false,
    repeats: type.repeats === true,
    forEach: false,
    ratePerSecond: undefined,
  };
}

/**
 * A node that runs per item becomes a loop with the same id around itself. Each item is retried and skipped
 * separately. The final failure of an item fails the loop.
 */
function compileForEach(node: Node, types: NodeTypes): Omit<PlanNode, "index" | "outgoing"> {
  const { forEach, onError = "fail", start: _, ...rest } = node;
  const { ratePerSecond, ...list } = forEach ?? { items: [] };
  const inner: Node = { ...rest, onError: onError === "continue" ? "continue" : "fail" };
  const body = compileGraph({ nodes: [inner], edges: [] }, types);
  const [only] = body.nodes;
  const paced = only ? [{ ...only, ratePerSecond }] : [];
  return {
    id: node.id,
    name: node.name,
    type: loop,
    config: { ...list, body: { nodes: [inner], edges: [] } },
    retry: undefined,
    timeoutMs: undefined,
    onError: onError === "branch" ? "branch" : "fail",
    body: {
      ...body,
      nodes: paced,
      byId: new Map(paced.map((one) => [one.id, one])),
      roots: paced,
      sinks: paced,
    },
    concurrency: list.concurrency ?? 1,
    collects: list.collect !== false,
    repeats: false,
    forEach: true,
    ratePerSecond: undefined,
  };
}

/** Completes a loop body based on the loop type. */
function withEnd(type: NodeType, body: Graph, config: Config): Graph {
  if (type.races) return { ...body, contest: contestOf(body) };
  return type.repeats && !type.plans ? withCheck(body, config) : body;
}

/** Removes unreachable nodes, because a branch of a race without reachable nodes would win at once. */
function connectedPart({ nodes, edges }: GraphDefinition): GraphDefinition {
  const orphans = findUnconnected({ nodes, edges });
  const isLeft = (id: string): boolean => !orphans.has(id);
  return {
    nodes: nodes.filter(({ id }) => isLeft(id)),
    edges: edges.filter(({ from, to }) => isLeft(from) && isLeft(to)),
  };
}

function contestOf({ nodes }: Graph): Contest {
  const edges = nodes.flatMap(({ id, outgoing }) =>
    outgoing.map(({ to }) => ({ from: id, to: nodes[to]?.id })),
  );
  const branches = listBranches({ nodes, edges });
  return {
    branchOf: nodes.map(({ id }) => branches.findIndex((ids) => ids.includes(id))),
    sizes: branches.map(({ length }) => length),
    names: branches.map(([first = ""]) => first),
  };
}

const TURNS_DEFAULT = 100;

/** Adds a final step to a repeat body for ending the iteration. */
function withCheck(body: Graph, config: Config): Graph {
  const { until, everyMs, max = TURNS_DEFAULT, as = "state", whenExhausted = "fail" } = config;
  const index = body.nodes.length;
  const check: PlanNode = {
    index,
    id: REPEAT_CHECK_ID,
    name: "Until",
    type: repeatCheck,
    config: {
      ...(until !== undefined && { until }),
      ...(everyMs !== undefined && { everyMs }),
      max,
      as,
      whenExhausted,
      sinks: body.sinks.map(({ id }) => id),
    },
    retry: undefined,
    timeoutMs: undefined,
    onError: "fail",
    outgoing: [],
    body: undefined,
    concurrency: 1,
    collects: true,
    repeats: false,
    forEach: false,
    ratePerSecond: undefined,
  };
  const end: PlanEdge = { to: index, when: undefined, always: true };
  const isSink = new Set(body.sinks.map((sink) => sink.index));
  const nodes = body.nodes.map((node) =>
    isSink.has(node.index) ? { ...node, outgoing: [end] } : node,
  );
  nodes.push(check);
  return {
    nodes,
    byId: new Map(nodes.map((node) => [node.id, node])),
    incoming: [...body.incoming, body.sinks.length],
    ...(body.starts && { starts: body.starts }),
    roots: body.roots.map((root) => nodes[root.index] ?? root),
    sinks: [check],
  };
}

/** Sorts nodes so that every edge leads forward. Otherwise keeps the written order. */
function sortTopologically({ nodes, edges }: GraphDefinition): readonly Node[] {
  const outgoing = Map.groupBy(edges, ({ from }) => from);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const openEdges = new Map(nodes.map(({ id }) => [id, 0]));
  for (const { to } of edges) openEdges.set(to, (openEdges.get(to) ?? 0) + 1);
  const ordered = nodes.filter(({ id }) => openEdges.get(id) === 0);
  // The list grows during iteration: a node is added after all its predecessors.
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
