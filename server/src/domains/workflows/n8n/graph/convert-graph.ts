/** Converts the nodes between a trigger and the ends: each becomes steps, and a batch cycle becomes a loop. */
import type { Edge, Node } from "../../definition/index.ts";
import { convertBatches, copyIds } from "./batches.ts";
import { type Circle, circleSteps, findCircles } from "./circle.ts";
import { hasUnreadable, nodesRead, UnreadableCode } from "../code-text.ts";
import {
  type ConvertedNode,
  type ImportBinding,
  listScript,
  type NodeContext,
  type NodeReport,
  NotConvertible,
  type Source,
  withEmptyItem,
} from "../conversion.ts";
import type { N8nLink, N8nNode, NodePart } from "../n8n-workflow.ts";
import { passItems } from "../nodes/item-nodes.ts";
import { hasTypedKey, scrubKeys } from "../typed-keys.ts";
import type { ConvertedGraph, GraphPlace } from "./graph-place.ts";
import { converterOf } from "../registry.ts";

/** Everything needed to convert a workflow, and the report. */
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
  readonly addWorkflow: NodeContext["addWorkflow"];
}

/** A trigger and its targets. */
export interface WorkflowStart {
  readonly node: N8nNode;
  readonly id: string;
  /** The step that outputs its items. */
  readonly source: string;
  readonly reaches: ReadonlySet<string>;
}

/** Converts the nodes of one graph in dependency order. */
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
  const { circles, outside, order, closing } = planOrder(outer, links, place);
  const nodes: Node[] = [];
  const edges: Edge[] = [];
  const visible = new Map(place.around);
  const firsts = new Map<string, string>();
  const exits = new Map<N8nLink, Source>();
  for (const name of order) {
    const node = state.byName.get(name);
    const id = state.ids.get(name);
    if (!node || id === undefined) continue;
    const incoming = outside
      .filter((link) => link.to === name && ![...closing].some((one) => one.link === link))
      .toSorted((a, b) => a.input - b.input);
    const sources = [
      ...place.entries.filter((entry) => entry.name === name).map(({ source }) => source),
      ...incoming.map(
        (link): Source =>
          exits.get(link) ?? [state.ids.get(link.from) ?? "", readOutput(state, link)],
      ),
    ];
    const ctx: NodeContext = {
      node,
      id,
      sources,
      visible,
      workflowName: state.workflowName,
      parts: state.partsOf(name),
      bind: state.bind(node),
      addWorkflow: state.addWorkflow,
    };
    const isClosed = [...closing].some(({ to }) => to === name);
    const circle = circles.get(name);
    if (circle) {
      const turned = convertCircle(state, ctx, { circle, visible, links, outside, bodies });
      nodes.push(...turned.steps);
      edges.push(...chainEdges(turned.steps), ...turned.edges);
      firsts.set(name, `${id}_begin`);
      for (const [link, source] of turned.exits) exits.set(link, source);
      for (const [one, step] of turned.visible) visible.set(one, step);
      continue;
    }
    const made = convertNode(state, ctx, { body: bodies.get(name), isClosed, place });
    nodes.push(...made.steps);
    edges.push(...(made.edges ?? chainEdges(made.steps)));
    const first = made.steps[0]?.id ?? id;
    firsts.set(name, first);
    for (const from of new Set(sources.map(([step]) => step)))
      if (!from.startsWith("$")) edges.push({ from, to: first });
    visible.set(name, id);
  }
  return { nodes, edges, firsts };
}

/** The order of the nodes. A cycle counts as one node, its entry. */
function planOrder(outer: readonly string[], links: readonly N8nLink[], { entries }: GraphPlace) {
  const found = findCircles(outer, links, new Set(entries.map(({ name }) => name)));
  const circles = new Map(found.map((circle) => [circle.entry, circle]));
  const entryOf = new Map(
    found.flatMap(({ entry, members }) => [...members].map((name) => [name, entry] as const)),
  );
  const standIn = (name: string): string => entryOf.get(name) ?? name;
  const outside = links.filter(
    ({ from, to }) => standIn(from) !== standIn(to) || !entryOf.has(from),
  );
  const { order, closing } = sortNodes(
    outer.filter((name) => standIn(name) === name),
    outside.map((link) => ({ ...link, from: standIn(link.from), to: standIn(link.to), link })),
  );
  return { circles, outside, order, closing };
}

/** Converts a cycle to steps. Outside nodes reference `_left`, and the outputs of the last iteration. */
function convertCircle(
  state: GraphImport,
  ctx: NodeContext,
  {
    circle: { entry, members },
    visible,
    links,
    outside,
    bodies,
  }: {
    readonly circle: Circle;
    readonly visible: ReadonlyMap<string, string>;
    readonly links: readonly N8nLink[];
    readonly outside: readonly N8nLink[];
    readonly bodies: ReadonlyMap<string, ReadonlySet<string>>;
  },
) {
  const { id, sources } = ctx;
  // The bodies of batch loops belong to their batch nodes.
  const names = new Set([
    ...members,
    ...[...bodies].flatMap(([name, body]) => (members.has(name) ? [...body] : [])),
  ]);
  const toSource = (link: N8nLink): Source => [
    state.ids.get(link.from) ?? "",
    readOutput(state, link),
  ];
  const inner = convertGraph(state, {
    names,
    entries: [{ name: entry, source: ["$turn", 0] }],
    around: new Map(visible),
    loop: entry,
  });
  const leaving = outside.filter(({ from, to }) => members.has(from) && !members.has(to));
  const keyOf = (link: N8nLink): string => toSource(link).join(" ");
  const keys = [...new Set(leaving.map(keyOf))];
  const read = readAfter(state, members).map((name) => {
    const step = state.ids.get(name) ?? "";
    // A reference to an inner cycle's node means its last value.
    const isDeeper = inner.nodes.some((one) => one.id === `${step}_last`);
    return { name, step: isDeeper ? `${step}_last` : step };
  });
  const { steps } = circleSteps(ctx, inner, {
    back: links.filter(({ from, to }) => to === entry && members.has(from)).map(toSource),
    exits: keys
      .flatMap((key) => leaving.filter((link) => keyOf(link) === key).slice(0, 1))
      .map(toSource),
    seen: read.map(({ step }) => step),
  });
  const before = [...new Set(sources.map(([step]) => step))].filter(
    (step) => !step.startsWith("$"),
  );
  return {
    steps,
    edges: before.map((from): Edge => ({ from, to: `${id}_begin` })),
    exits: leaving.map((link) => [link, [`${id}_left`, keys.indexOf(keyOf(link))]] as const),
    visible: read.map(({ name, step }) => [name, `${step}_last`] as const),
  };
}

/** Finds the cycle nodes referenced from outside. */
function readAfter({ byName }: GraphImport, members: ReadonlySet<string>): string[] {
  const texts = [...byName.values()].filter(({ name }) => !members.has(name));
  const names = new Set(texts.flatMap(({ parameters }) => nodesRead(parameters)));
  return [...members].filter((name) => names.has(name));
}

/** The output number of a link. The end of batches has a single output. */
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

/** Converts a node and reports the result. A node that cannot be converted becomes a step that fails. */
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
    if (isClosed) throw new NotConvertible("is part of a cycle that is not a loop over batches");
    const made = node.disabled
      ? passItems(ctx)
      : node.type === "splitInBatches"
        ? convertBatches(ctx, {
            body,
            links: state.links.filter(
              ({ from, to }) => place.names.has(from) && place.names.has(to),
            ),
            toSource: (link) => [state.ids.get(link.from) ?? "", readOutput(state, link)],
            isLoop: (name) => state.byName.get(name)?.type === "splitInBatches",
            convert: (graph, copied) =>
              convertGraph({ ...state, ids: copyIds(state.ids, id, copied) }, graph),
          })
        : converterOf(node.type)(ctx);
    const always = node.alwaysOutputData ? withEmptyItem(ctx, made) : undefined;
    const approximations = [
      ...(made.approximations ?? []),
      ...(isEnteredTwice(state, ctx) && !["merge", "noOp"].includes(node.type)
        ? ["several connections: runs once with all items"]
        : []),
      ...(node.alwaysOutputData && !always ? ["returns no items for an empty input"] : []),
      ...(hasUnreadable(made.steps)
        ? ["has an expression that can't be parsed. The step fails there, as in n8n"]
        : []),
      ...(hasTypedKey(made.steps) ? ["contains a key in its text. Move it into a secret"] : []),
    ];
    note(approximations.length === 0 ? "converted" : "approximated", approximations);
    return always ?? made;
  } catch (error) {
    if (!(error instanceof NotConvertible) && !(error instanceof UnreadableCode)) throw error;
    const reason =
      error instanceof UnreadableCode
        ? `has code that can't be parsed: ${error.message}`
        : error.message;
    // If a loop fails to convert, its inner nodes were already reported.
    state.report.length = before;
    for (const name of body ?? []) noteLost(state, name);
    note("placeholder", [reason]);
    return placeholderSteps(ctx, reason);
  }
}

/** True if items can arrive through several connections in one run. Two triggers never start the same run. */
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

/** Steps that fail as soon as an item arrives, because unsupported nodes must not be skipped silently. */
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
      // Escapes braces of n8n expressions, which are not templates here.
      config: { message: message.replaceAll("{{", "{ {"), code: "not_imported" },
      note: scrubKeys(node.parameters).slice(0, 2_000),
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

/** Finds the nodes of batch cycles, by batch node. */
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
  // An inner loop belongs to the outer loop.
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

/** The nodes in topological order, and the links that close a cycle. */
function sortNodes<Link extends N8nLink>(names: readonly string[], links: readonly Link[]) {
  const closing = new Set<Link>();
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
