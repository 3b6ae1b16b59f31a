/** The nodes between a trigger and the ends: each becomes steps, and a cycle of batches a loop. */
import type { Edge, Node } from "../definition/index.ts";
import { UnreadableCode } from "./code-text.ts";
import {
  type ConvertedNode,
  type ImportBinding,
  listScript,
  type NodeContext,
  type NodeReport,
  NotConvertible,
  type Source,
} from "./conversion.ts";
import type { N8nLink, N8nNode, NodePart } from "./n8n-workflow.ts";
import { passItems } from "./nodes/item-nodes.ts";
import { converterOf } from "./registry.ts";

/** The means of the conversion of a workflow, and the report that it makes. */
export interface GraphImport {
  readonly byName: ReadonlyMap<string, N8nNode>;
  readonly ids: ReadonlyMap<string, string>;
  readonly links: readonly N8nLink[];
  readonly starts: readonly WorkflowStart[];
  readonly partsOf: (name: string) => readonly NodePart[];
  readonly workflowName: string;
  readonly report: NodeReport[];
  readonly bind: (
    node: N8nNode,
  ) => (kind: ImportBinding["kind"], key: string, title: string) => string;
}

/** A trigger, and what it leads to. */
export interface WorkflowStart {
  readonly node: N8nNode;
  readonly id: string;
  /** The source of its items. */
  readonly source: string;
  readonly reaches: ReadonlySet<string>;
}

export interface ConvertedGraph {
  /** The first step of each node, by the node's name. */
  readonly firsts: ReadonlyMap<string, string>;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

interface GraphPlace {
  /** The nodes of this graph. */
  readonly names: ReadonlySet<string>;
  /** Where items come from that no node of this graph gives. */
  readonly entries: readonly { readonly name: string; readonly source: Source }[];
  /** Steps around the graph that code in it can read. */
  readonly around: ReadonlyMap<string, string>;
  /** The loop that this is the body of, and whose node links back to it. */
  readonly loop?: string;
}

/** Converts the nodes of one graph, in an order in which each comes after those that it reads. */
export function convertGraph(state: GraphImport, place: GraphPlace): ConvertedGraph {
  const bodies = findBodies(state, place);
  const inBody = new Set([...bodies.values()].flatMap((body) => [...body]));
  const outer = [...place.names].filter((name) => !inBody.has(name));
  const links = state.links.filter(
    ({ from, to }) =>
      place.names.has(from) &&
      place.names.has(to) &&
      !inBody.has(from) &&
      !inBody.has(to) &&
      to !== place.loop,
  );
  const { order, closing } = sortNodes(outer, links);
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  const visible = new Map(place.around);
  const firsts = new Map<string, string>();
  for (const name of order) {
    const node = state.byName.get(name);
    const id = state.ids.get(name);
    if (!node || id === undefined) continue;
    const incoming = links
      .filter((link) => link.to === name && !closing.has(link))
      .toSorted((a, b) => a.input - b.input);
    const sources = [
      ...place.entries.filter((entry) => entry.name === name).map(({ source }) => source),
      ...incoming.map((link): Source => [state.ids.get(link.from) ?? "", readOutput(state, link)]),
    ];
    const ctx: NodeContext = {
      node,
      id,
      sources,
      visible,
      workflowName: state.workflowName,
      parts: state.partsOf(name),
      bind: state.bind(node),
    };
    const isClosed = [...closing].some(({ to }) => to === name);
    const made = convertNode(state, ctx, { body: bodies.get(name), isClosed, place });
    nodes.push(...made.steps);
    edges.push(...(made.edges ?? chainEdges(made.steps)));
    const first = made.steps[0]?.id ?? id;
    firsts.set(name, first);
    for (const from of new Set(incoming.map((link) => state.ids.get(link.from) ?? "")))
      edges.push({ from, to: first });
    visible.set(name, id);
  }
  return { nodes, edges, firsts };
}

/** The number of the output of a link: the end of batches has one alone. */
function readOutput({ byName }: GraphImport, { from, output }: N8nLink): number {
  return byName.get(from)?.type === "splitInBatches" ? 0 : output;
}

function chainEdges(steps: readonly Node[]): Edge[] {
  return steps.slice(1).map(({ id }, at) => ({ from: steps[at]?.id ?? "", to: id }));
}

interface NodePlace {
  readonly body: ReadonlySet<string> | undefined;
  readonly isClosed: boolean;
  readonly place: GraphPlace;
}

/** Converts a node and notes how that went; where it can't be, a step stands for it that fails. */
function convertNode(
  state: GraphImport,
  ctx: NodeContext,
  { body, isClosed, place }: NodePlace,
): ConvertedNode {
  const { node, id } = ctx;
  const note = (status: NodeReport["status"], reasons: readonly string[]): void => {
    state.report.push({
      node: node.name,
      type: node.type,
      stepId: id,
      status,
      reasons: [...new Set(reasons)],
    });
  };
  const before = state.report.length;
  try {
    if (isClosed) throw new NotConvertible("is part of a circle that is no loop over batches");
    const made = node.disabled
      ? passItems(ctx)
      : node.type === "splitInBatches"
        ? convertBatches(state, ctx, { body, place })
        : converterOf(node.type)(ctx);
    const approximations = [
      ...(made.approximations ?? []),
      ...(isEnteredTwice(state, ctx) && !["merge", "noOp"].includes(node.type)
        ? ["several connections: runs once with all items"]
        : []),
      ...(node.alwaysOutputData ? ["gives no item where there is none"] : []),
    ];
    note(approximations.length === 0 ? "converted" : "approximated", approximations);
    return made;
  } catch (error) {
    if (!(error instanceof NotConvertible) && !(error instanceof UnreadableCode)) throw error;
    const reason =
      error instanceof UnreadableCode
        ? `has code that can't be read: ${error.message}`
        : error.message;
    // Of a loop that can't be, the nodes inside are noted already.
    state.report.length = before;
    for (const name of body ?? []) noteLost(state, name);
    note("placeholder", [reason]);
    return placeholderSteps(ctx, reason);
  }
}

/** True when items may come by several connections in one run: two triggers never begin the same one. */
function isEnteredTwice({ starts, ids }: GraphImport, { sources }: NodeContext): boolean {
  const steps = new Set(sources.map(([step]) => step).filter((step) => !step.startsWith("$")));
  const nodes = [...ids].filter(([, id]) => steps.has(id)).map(([name]) => name);
  const entries = sources.filter(([step]) => step.startsWith("$")).map(([step]) => step);
  return starts.length <= 1
    ? sources.length > 1
    : sources.length - entries.length > 1 ||
        starts.some(({ source, reaches }) => {
          const direct = entries.filter((step) => step === source).length;
          return direct > 0 && direct + nodes.filter((name) => reaches.has(name)).length > 1;
        });
}

function noteLost(state: GraphImport, name: string): void {
  const node = state.byName.get(name);
  if (!node) return;
  const reasons = ["is inside of a loop that can't be imported"];
  state.report.push({
    node: name,
    type: node.type,
    stepId: state.ids.get(name) ?? "",
    status: "placeholder",
    reasons,
  });
}

/** Steps that fail as soon as an item comes: what is not there must not be passed over in silence. */
function placeholderSteps(ctx: NodeContext, reason: string): ConvertedNode {
  const { id, node } = ctx;
  const message = `${node.name} (${node.type} of n8n) was not imported: it ${reason}.`.slice(
    0,
    2_000,
  );
  const steps: Node[] = [
    listScript(ctx, `${id}_items`, "return list;"),
    {
      id: `${id}_if`,
      type: "condition",
      config: { expression: `$count(steps.${id}_items.output) > 0` },
    },
    {
      id,
      type: "fail",
      name: node.name.slice(0, 200),
      // Braces of theirs are no templates of ours.
      config: { message: message.replaceAll("{{", "{ {"), code: "not_imported" },
      note: JSON.stringify(node.parameters).slice(0, 2_000),
    },
  ];
  return {
    steps,
    edges: [
      { from: `${id}_items`, to: `${id}_if` },
      { from: `${id}_if`, to: id, when: "true" },
    ],
  };
}

/** The nodes of each cycle of batches, by the node that makes the batches. */
function findBodies(
  state: GraphImport,
  { names, loop }: GraphPlace,
): Map<string, ReadonlySet<string>> {
  const bodies = new Map<string, ReadonlySet<string>>();
  const taken = new Set<string>();
  for (const name of names) {
    const node = state.byName.get(name);
    if (node?.type !== "splitInBatches" || node.disabled || name === loop || taken.has(name))
      continue;
    const within = state.links.filter(({ from, to }) => names.has(from) && names.has(to));
    const isLoop = ({ output }: N8nLink): boolean => output === (node.version >= 3 ? 1 : 0);
    const fromLoop = reachFrom(
      within.filter((link) => link.from === name && isLoop(link)).map(({ to }) => to),
      within,
      name,
    );
    const fromDone = reachFrom(
      within.filter((link) => link.from === name && !isLoop(link)).map(({ to }) => to),
      within,
      name,
    );
    const body = new Set([...fromLoop].filter((one) => one !== name && !fromDone.has(one)));
    for (const one of body) taken.add(one);
    bodies.set(name, body);
  }
  // A loop inside of another belongs to that one.
  for (const name of bodies.keys()) if (taken.has(name)) bodies.delete(name);
  return bodies;
}

function reachFrom(starts: readonly string[], links: readonly N8nLink[], not: string): Set<string> {
  const found = new Set<string>();
  const open = starts.filter((name) => name !== not);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    for (const { from, to } of links) if (from === at && to !== not) open.push(to);
  }
  return found;
}

const BATCH_DEFAULT = 1;

/** A node that makes batches is a loop over them: its body are the nodes that lead back to it. */
function convertBatches(
  state: GraphImport,
  ctx: NodeContext,
  { body, place }: Pick<NodePlace, "body" | "place">,
): ConvertedNode {
  const { node, id } = ctx;
  const { batchSize = node.version >= 3 ? BATCH_DEFAULT : 10, options } = node.parameters;
  const size = Number(batchSize);
  if (!Number.isInteger(size) || size < 1)
    throw new NotConvertible("has a size of batches by expression");
  const { reset } = (options ?? {}) as { readonly reset?: unknown };
  if (reset !== undefined && reset !== false) throw new NotConvertible("starts its batches anew");
  if (!body || body.size === 0) return { ...passItems(ctx), approximations: ["has no loop"] };
  const links = state.links.filter(({ from, to }) => place.names.has(from) && place.names.has(to));
  const isSideways = links.some(
    ({ from, to }) =>
      (body.has(to) && !body.has(from) && from !== node.name) ||
      (body.has(from) && !body.has(to) && to !== node.name),
  );
  if (isSideways) throw new NotConvertible("has a loop that is entered or left sideways");
  const entries = links
    .filter(({ from, to }) => from === node.name && body.has(to))
    .map(({ to }) => ({ name: to, source: ["$batch", 0] as const }));
  const back = links.filter(({ from, to }) => to === node.name && body.has(from));
  const inner = convertGraph(state, {
    names: body,
    entries,
    around: new Map([...ctx.visible, [node.name, `${id}_batches`]]),
    loop: node.name,
  });
  const backSources = back.map((link): Source => [
    state.ids.get(link.from) ?? "",
    readOutput(state, link),
  ]);
  const collect = listScript({ ...ctx, sources: backSources }, `${id}_back`, "return list;");
  const backEdges = [...new Set(backSources.map(([step]) => step))].map((from): Edge => ({
    from,
    to: collect.id,
  }));
  const hasBack = back.length > 0;
  const name = node.name.slice(0, 200);
  const chunk = `return Array.from({ length: Math.ceil(list.length / ${size}) }, (_, at) => ({ items: list.slice(at * ${size}, (at + 1) * ${size}) }))${hasBack ? "" : ".slice(0, 1)"};`;
  return {
    steps: [
      listScript(ctx, `${id}_batches`, chunk),
      {
        id: `${id}_loop`,
        type: "loop",
        name,
        config: {
          items: `{{ steps.${id}_batches.output }}`,
          as: "batch",
          body: {
            nodes: [...inner.nodes, ...(hasBack ? [collect] : [])],
            edges: [...inner.edges, ...(hasBack ? backEdges : [])],
          },
        },
      },
      {
        id,
        type: "script",
        name,
        config: {
          source: `return input.steps.${id}_loop.output.flatMap((one) => Array.isArray(one) ? one : one?.["${id}_back"] ?? []);`,
        },
      },
    ],
    approximations: hasBack ? [] : ["never comes back: only the first batch is done"],
  };
}

/** The nodes in topological order, and the links that close a circle. */
function sortNodes(names: readonly string[], links: readonly N8nLink[]) {
  const closing = new Set<N8nLink>();
  const done = new Set<string>();
  const path = new Set<string>();
  const order: string[] = [];
  const visit = (name: string): void => {
    path.add(name);
    for (const link of links) {
      if (link.from !== name) continue;
      if (path.has(link.to)) closing.add(link);
      else if (!done.has(link.to)) visit(link.to);
    }
    path.delete(name);
    done.add(name);
    order.push(name);
  };
  for (const name of names) if (!done.has(name)) visit(name);
  return { order: order.toReversed(), closing };
}
