/**
 * Reads incomplete or invalid definitions. A **key** names a node in a definition, like a path names a step in a run,
 * but without iteration numbers: `each.call`.
 */
import { loop, race, repeat } from "./nodes/loop-nodes.ts";

/** The types with a graph in their configuration. */
const ITERATING_TYPES: ReadonlySet<string> = new Set([loop.type, repeat.type, race.type]);

/** A node of an incomplete definition. */
export interface OutlineNode {
  readonly id: string;
  readonly key: string;
  readonly name: string | undefined;
  readonly type: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** The node as written. */
  readonly node: Readonly<Record<string, unknown>>;
}

/** An edge, with the key of the loop around it. */
export interface OutlineEdge {
  readonly in: string;
  readonly from: string;
  readonly to: string;
  readonly when?: string;
}

/** A node, its surrounding loops, outermost first, and the nodes whose outputs it can read. */
export interface NodePosition {
  readonly node: OutlineNode | undefined;
  readonly loops: readonly (OutlineNode & { readonly as: string })[];
  /** Earlier nodes, including those before the surrounding loops. */
  readonly before: readonly OutlineNode[];
}

/** Converts a path or another spelling to a key: `each[3].call` and `each/call` become `each.call`. */
export function toNodeKey(text: string): string {
  const ids = text
    .replaceAll(/\[\d+\]/g, "")
    .replaceAll("/", ".")
    .split(".");
  // A node that runs per item is a loop around itself.
  return ids.filter((id, index) => id !== ids[index - 1]).join(".");
}

/** Finds a node by key. Without a key, returns the end of the workflow. */
export function locateNode(definition: unknown, key: string | undefined): NodePosition | undefined {
  let graph = readGraph(definition, "");
  if (key === undefined) return { node: undefined, loops: [], before: graph.nodes };
  const loops: (OutlineNode & { readonly as: string })[] = [];
  const before: OutlineNode[] = [];
  const ids = key.split(".");
  for (const [depth, id] of ids.entries()) {
    const node = graph.nodes.find((one) => one.id === id);
    if (!node) return undefined;
    before.push(...findAncestors(graph, id));
    const { as } = depth === ids.length - 1 ? toRecord(node.node["forEach"]) : node.config;
    const item = node.type === repeat.type ? "state" : "item";
    const asLoop = { ...node, as: typeof as === "string" ? as : item };
    if (depth === ids.length - 1) {
      if (node.node["forEach"] !== undefined) loops.push(asLoop);
      return { node, loops, before };
    }
    loops.push(asLoop);
    graph = readGraph(node.config["body"], node.key);
  }
  return undefined;
}

/** All nodes, including those in loops. */
export function listNodes(definition: unknown, within = "", depth = 0): OutlineNode[] {
  if (depth > DEPTH_MAX) return [];
  return readGraph(definition, within).nodes.flatMap((node) =>
    ITERATING_TYPES.has(node.type)
      ? [node, ...listNodes(node.config["body"], node.key, depth + 1)]
      : [node],
  );
}

/** All edges, including those in loops. */
export function listEdges(definition: unknown, within = "", depth = 0): OutlineEdge[] {
  if (depth > DEPTH_MAX) return [];
  const { nodes, edges } = readGraph(definition, within);
  const own = edges.flatMap(({ from, to, when }): OutlineEdge[] => {
    if (typeof from !== "string" || typeof to !== "string") return [];
    return [{ in: within, from, to, ...(typeof when === "string" && { when }) }];
  });
  const inner = nodes.filter(({ type }) => ITERATING_TYPES.has(type));
  return [...own, ...inner.flatMap(({ key, config }) => listEdges(config["body"], key, depth + 1))];
}

/** Resolves a JSON pointer into a definition to the key of its node and the rest of the pointer. */
export function locatePointer(
  definition: unknown,
  pointer: string,
): { readonly stepId: string; readonly field: string } | undefined {
  const parts = pointer.split("/").slice(1);
  let graph = definition;
  let found: { stepId: string; field: string } | undefined;
  for (let at = 0; parts[at] === "nodes" && parts[at + 1] !== undefined; at += 4) {
    const node = toRecord(toList(toRecord(graph)["nodes"])[Number(parts[at + 1])]);
    const { id, config } = node;
    if (typeof id !== "string") return found;
    const stepId = found === undefined ? id : `${found.stepId}.${id}`;
    found = {
      stepId,
      field: parts
        .slice(at + 2)
        .map((part) => `/${part}`)
        .join(""),
    };
    if (parts[at + 2] !== "config" || parts[at + 3] !== "body") return found;
    graph = toRecord(config)["body"];
  }
  return found;
}

/** Deeper than any definition that can be saved. */
const DEPTH_MAX = 10;

interface OutlineGraph {
  readonly nodes: readonly OutlineNode[];
  readonly edges: readonly Readonly<Record<string, unknown>>[];
}

function readGraph(value: unknown, within: string): OutlineGraph {
  const { nodes, edges } = toRecord(value);
  const read = toList(nodes).flatMap((one): OutlineNode[] => {
    const { id, type, name, config } = toRecord(one);
    if (typeof id !== "string" || id === "" || typeof type !== "string") return [];
    const key = within === "" ? id : `${within}.${id}`;
    const title = typeof name === "string" ? name : undefined;
    return [{ id, key, name: title, type, config: toRecord(config), node: toRecord(one) }];
  });
  return {
    nodes: read,
    edges: toList(edges).map(toRecord),
  };
}

/** The predecessors of this node, in written order. */
function findAncestors({ nodes, edges }: OutlineGraph, id: string): OutlineNode[] {
  const incoming = Map.groupBy(edges, (edge) => edge["to"]);
  const found = new Set<unknown>();
  const open: unknown[] = [id];
  for (let to = open.pop(); to !== undefined; to = open.pop()) {
    for (const { from } of incoming.get(to) ?? []) {
      if (found.has(from) || from === undefined) continue;
      found.add(from);
      open.push(from);
    }
  }
  // In a cycle the node itself would be included.
  return nodes.filter((node) => node.id !== id && found.has(node.id));
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
