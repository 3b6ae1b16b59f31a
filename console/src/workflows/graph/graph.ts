/**
 * The definition of a workflow as a graph of steps. Every function returns a new definition that shares unchanged
 * parts, so that a history is cheap and `===` detects changes. The key of a step is its path through the loops:
 * `each/charge`.
 */
import type { Schemas } from "../../data/api.ts";

export type Step = Schemas["WorkflowNode"];
export type Edge = Schemas["WorkflowEdge"];

export interface Graph {
  readonly nodes: readonly Step[];
  readonly edges: readonly Edge[];
}

type Settings =
  | "description"
  | "note"
  | "tags"
  | "maxConcurrency"
  | "concurrencyKey"
  | "timeoutMs"
  | "errorWorkflowId"
  | "triggers";

/** The workflow data edited, saved and versioned together. */
export type Definition = Graph & Pick<Schemas["Workflow"], "name" | "trigger" | Settings>;

const EMPTY: Graph = { nodes: [], edges: [] };

/** The key of the loop that contains the step; empty at the top level. */
export const placeOf = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf("/")));
export const idOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1);
export const toKey = (place: string, id: string): string => (place === "" ? id : `${place}/${id}`);

/** Returns whether steps of this type contain a graph. */
export const isLoopType = (type: string | undefined): boolean =>
  type === "loop" || type === "repeat" || type === "race";

/** Returns the graph inside a loop; undefined for other steps. */
export function bodyOf(step: Step): Graph | undefined {
  if (!isLoopType(step.type)) return undefined;
  return (step.config?.["body"] as Graph | undefined) ?? EMPTY;
}

/** Returns the graph at a place; undefined if there is no loop. */
export function findGraph(root: Graph, place: string): Graph | undefined {
  let graph: Graph | undefined = root;
  for (const id of place === "" ? [] : place.split("/")) {
    const step: Step | undefined = graph?.nodes.find((node) => node.id === id);
    graph = step && bodyOf(step);
  }
  return graph;
}

export function findStep(root: Graph, key: string): Step | undefined {
  return findGraph(root, placeOf(key))?.nodes.find(({ id }) => id === idOf(key));
}

/** Iterates over all steps with their keys; a loop comes before its steps. */
export function* walkSteps(graph: Graph, place = ""): Generator<readonly [string, Step]> {
  for (const step of graph.nodes) {
    const key = toKey(place, step.id);
    yield [key, step];
    const body = bodyOf(step);
    if (body) yield* walkSteps(body, key);
  }
}

/** Changes the graph at a place; only the loops on the path to it become new objects. */
export function changeGraph<G extends Graph>(
  root: G,
  place: string,
  change: (graph: Graph) => Graph,
): G {
  if (place === "") {
    const { nodes, edges } = change(root);
    return { ...root, nodes, edges };
  }
  const [id, ...rest] = place.split("/");
  const nodes = root.nodes.map((step) => {
    const body = step.id === id ? bodyOf(step) : undefined;
    if (!body) return step;
    return { ...step, config: { ...step.config, body: changeGraph(body, rest.join("/"), change) } };
  });
  return { ...root, nodes };
}

/** Returns a step's output names. A step without named outputs has a single output. */
export function branchesOf(step: Step): readonly string[] {
  const own = ownBranches(step);
  return step.onError === "branch" ? [...own, "error"] : own;
}

function ownBranches({ type, config }: Step): readonly string[] {
  if (type === "condition") return ["true", "false"];
  if (type === "approval") return ["approved", "rejected"];
  if (type === "wait_for_call") return ["called", "timeout"];
  if (type === "wait_for_form") return ["sent", "timeout"];
  if (type !== "switch") return [];
  const cases = (config?.["cases"] as readonly unknown[] | undefined) ?? [];
  return [...cases.map(String), "default"];
}

/** Returns the default output of a step. */
export function firstBranch(step: Step): { readonly when?: string } {
  const when = branchesOf(step).find((branch) => branch !== "error");
  return when === undefined ? {} : { when };
}

export const isSameEdge = (a: Edge, b: Edge): boolean =>
  a.from === b.from && a.to === b.to && a.when === b.when;

export function uniqueEdges(edges: readonly Edge[]): readonly Edge[] {
  return edges.filter((edge, n) => edges.findIndex((other) => isSameEdge(other, edge)) === n);
}

const ID_CHARACTERS_MAX = 40;

/** Returns an unused id, similar to the wanted name. */
export function freeId(
  root: Graph,
  wanted: string,
  taken: ReadonlySet<string> = new Set(),
): string {
  const ids = new Set([...walkSteps(root)].map(([, { id }]) => id));
  const plain = wanted
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^[^a-z]+|_+$/g, "")
    .slice(0, ID_CHARACTERS_MAX);
  const base = plain === "" ? "step" : plain;
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base}_${n}`;
    if (!ids.has(id) && !taken.has(id)) return id;
  }
}
