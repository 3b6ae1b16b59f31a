/** Edits of a definition. No edit turns another step into a start step without being asked to. */
import {
  bodyOf,
  branchesOf,
  changeGraph,
  type Edge,
  findGraph,
  firstBranch,
  freeId,
  type Graph,
  idOf,
  isSameEdge,
  placeOf,
  type Step,
  toKey,
  uniqueEdges,
  walkSteps,
} from "./graph.ts";
import { dropStarts, editLines, headsOf, turnStart } from "./starts.ts";

/** The position of new steps: into edges, after a step on one of its outputs, parallel to its successors, or first. */
export interface Spot {
  readonly place: string;
  readonly edges?: readonly Edge[];
  readonly after?: string;
  readonly when?: string | undefined;
  readonly beside?: boolean;
  readonly before?: readonly string[];
}

export function replaceStep<G extends Graph>(root: G, key: string, next: Step): G {
  return changeGraph(root, placeOf(key), ({ nodes, edges }) => ({
    nodes: nodes.map((step) => (step.id === idOf(key) ? next : step)),
    edges,
  }));
}

/**
 * Inserts steps before the former successors. The new edge replaces the old one at its position, because the order
 * of edges is the order of columns.
 */
export function insertSteps<G extends Graph>(root: G, clip: Graph, spot: Spot): G {
  return changeGraph(root, spot.place, (graph) => {
    const { after, when } = spot;
    const inner = new Set(clip.edges.map(({ to }) => to));
    const leading = new Set(clip.edges.map(({ from }) => from));
    const heads = clip.nodes.filter(({ id }) => !inner.has(id));
    const tails = clip.nodes.filter(({ id }) => !leading.has(id));
    const moved = spot.edges ?? (spot.beside ? [] : edgesOut(graph, after, when));
    const sources: readonly Omit<Edge, "to">[] =
      spot.edges ??
      (after === undefined ? [] : [{ from: after, ...(when !== undefined && { when }) }]);
    const inward = sources.flatMap(({ from, when: way }) =>
      heads.map(({ id }) => ({ from, to: id, ...(way !== undefined && { when: way }) })),
    );
    const targets = new Set([...moved.map(({ to }) => to), ...(spot.before ?? [])]);
    const outward = [...targets].flatMap((to) =>
      tails.map((tail) => ({ from: tail.id, to, ...firstBranch(tail) })),
    );
    const [first] = moved;
    const at = first
      ? graph.edges.findIndex((edge) => isSameEdge(edge, first))
      : graph.edges.length;
    const isMoved = (edge: Edge): boolean => moved.some((gone) => isSameEdge(gone, edge));
    const edges = [
      ...graph.edges.slice(0, at),
      ...inward,
      ...graph.edges.slice(at).filter((edge) => !isMoved(edge)),
      ...clip.edges,
      ...outward,
    ];
    const behind = graph.nodes.findIndex(({ id }) => id === sources[0]?.from) + 1;
    const nodes = graph.nodes.toSpliced(behind, 0, ...clip.nodes);
    return dropStarts({ nodes, edges: uniqueEdges(edges) });
  });
}

function edgesOut(
  graph: Graph,
  from: string | undefined,
  when: string | undefined,
): readonly Edge[] {
  return graph.edges.filter((edge) => edge.from === from && edge.when === when);
}

/** Removes steps and connects their predecessors, including the trigger, to their successors on all outputs. */
export function removeSteps<G extends Graph>(root: G, keys: Iterable<string>): G {
  let result = root;
  for (const [place, group] of Map.groupBy(keys, placeOf)) {
    const gone = new Set(group.map(idOf));
    result = changeGraph(result, place, (graph) =>
      editLines(graph, ({ nodes, edges }) => ({
        nodes: nodes.filter(({ id }) => !gone.has(id)),
        edges: healEdges(edges, gone),
      })),
    );
  }
  return result;
}

/** Connects the predecessors of removed steps to their successors. */
export function healEdges(edges: readonly Edge[], gone: ReadonlySet<string>): readonly Edge[] {
  return [...gone].reduce(bridgeEdges, edges);
}

function bridgeEdges(edges: readonly Edge[], id: string): readonly Edge[] {
  const onward = edges.filter(({ from, when }) => from === id && when !== "error");
  return uniqueEdges(
    edges.flatMap((edge) => {
      if (edge.from === id) return [];
      if (edge.to !== id) return [edge];
      return onward.filter(({ to }) => to !== edge.from).map(({ to }) => ({ ...edge, to }));
    }),
  );
}

/** Returns why two steps can't be connected; undefined if they can. */
export function connectionError(graph: Graph, edge: Edge): string | undefined {
  if (graph.edges.some((other) => isSameEdge(other, edge)))
    return "The steps are already connected.";
  const reached = new Set<string>();
  const pending = [edge.to];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    pending.push(...graph.edges.filter(({ from }) => from === id).map(({ to }) => to));
  }
  return reached.has(edge.from)
    ? "This connection would create a cycle. Use a loop to repeat steps."
    : undefined;
}

export function connectSteps<G extends Graph>(root: G, place: string, edge: Edge): G {
  return changeGraph(root, place, ({ nodes, edges }) =>
    dropStarts({ nodes, edges: uniqueEdges([...edges, edge]) }),
  );
}

export function disconnectSteps<G extends Graph>(root: G, place: string, gone: readonly Edge[]): G {
  return changeGraph(root, place, (graph) =>
    editLines(graph, ({ nodes, edges }) => ({
      nodes,
      edges: edges.filter((edge) => !gone.some((other) => isSameEdge(other, edge))),
    })),
  );
}

/** Returns steps and the edges between them, for the clipboard. */
export function copySteps(root: Graph, keys: readonly string[]): Graph {
  const place = placeOf(keys[0] ?? "");
  const graph = findGraph(root, place) ?? { nodes: [], edges: [] };
  const ids = new Set(keys.filter((key) => placeOf(key) === place).map(idOf));
  return {
    nodes: graph.nodes.filter(({ id }) => ids.has(id)),
    edges: graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
  };
}

/** Gives copied steps new ids and updates references between them: `steps.read` becomes `steps.read_2`. */
export function renameSteps(root: Graph, clip: Graph): Graph {
  const ids = new Map<string, string>();
  for (const [, { id }] of walkSteps(clip)) {
    ids.set(id, freeId(root, id.replace(/_\d+$/, ""), new Set(ids.values())));
  }
  return renameIds(clip, ids);
}

/** Changes step ids, also in edges and expressions. */
export function renameIds(clip: Graph, ids: ReadonlyMap<string, string>): Graph {
  const newId = (id: string): string => ids.get(id) ?? id;
  const renameIn = (graph: Graph): Graph => ({
    nodes: graph.nodes.map((step) => {
      const body = bodyOf(step);
      const config = {
        ...(renameMentions(step.config, ids) as object),
        ...(body && { body: renameIn(body) }),
      };
      return { ...step, id: newId(step.id), config };
    }),
    edges: graph.edges.map((edge) => ({ ...edge, from: newId(edge.from), to: newId(edge.to) })),
  });
  return renameIn(clip);
}

const MENTION = /\bsteps\.([A-Za-z_][\w-]*)/g;

function renameMentions(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    return value.replaceAll(MENTION, (_, id: string) => `steps.${ids.get(id) ?? id}`);
  }
  if (Array.isArray(value)) return value.map((item) => renameMentions(item, ids));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, renameMentions(item, ids)]),
  );
}

/**
 * Moves steps and keeps their ids, so that references stay valid. Returns the same graph if the move is not
 * possible.
 */
export function moveSteps<G extends Graph>(root: G, keys: readonly string[], spot: Spot): G {
  const clip = copySteps(root, keys);
  const without = removeSteps(root, keys);
  const graph = findGraph(without, spot.place);
  // The target edge may belong to a removed step and be replaced by a bridge.
  const edges = spot.edges?.filter((edge) => graph?.edges.some((other) => isSameEdge(other, edge)));
  const exists = (id: string | undefined): boolean =>
    id === undefined || graph?.nodes.some((step) => step.id === id) === true;
  if (!graph || edges?.length === 0 || !exists(spot.after) || !(spot.before ?? []).every(exists))
    return root;
  return insertSteps(without, clip, { ...spot, ...(edges && { edges }) });
}

/** Moves a step one column to the side: the order of a step's outputs is the order of the columns. */
export function reorderColumn<G extends Graph>(root: G, key: string, by: 1 | -1): G {
  return changeGraph(root, placeOf(key), (graph) => {
    const into = graph.edges.find(({ to }) => to === idOf(key));
    const siblings = graph.edges.filter(({ from }) => from === into?.from);
    const other = into && siblings[siblings.indexOf(into) + by];
    if (!into || !other) return graph;
    const edges = graph.edges.map((edge) => (edge === into ? other : edge === other ? into : edge));
    return { ...graph, edges };
  });
}

/** Wraps connected steps in a loop. */
export function wrapInLoop<G extends Graph>(
  root: G,
  keys: readonly string[],
): { readonly root: G; readonly key: string } {
  const place = placeOf(keys[0] ?? "");
  const copied = copySteps(root, keys);
  const id = freeId(root, "each");
  const ids = new Set(copied.nodes.map((step) => step.id));
  // The loop becomes a start step if one of its steps was. Inside it, all steps without incoming edges start.
  const isStart = headsOf(findGraph(root, place) ?? root).some((head) => ids.has(head));
  const body = copied.nodes.reduce((graph, step) => turnStart(graph, step.id, true), copied);
  const config = { items: "{{ [1, 2, 3] }}", as: "item", body };
  const loop: Step = { id, type: "loop", name: "Loop over items", config };
  const wrapped = changeGraph(root, place, ({ nodes, edges }) => {
    const moved = edges
      .filter(({ from, to }) => !(ids.has(from) && ids.has(to)))
      .map((edge) => {
        if (ids.has(edge.to)) return { ...edge, to: id };
        return ids.has(edge.from) ? { from: id, to: edge.to } : edge;
      });
    const left = nodes.flatMap((step) => {
      if (step.id === body.nodes[0]?.id) return [loop];
      return ids.has(step.id) ? [] : [step];
    });
    return dropStarts(turnStart({ nodes: left, edges: uniqueEdges(moved) }, id, isStart));
  });
  return { root: wrapped, key: toKey(place, id) };
}

/** Replaces a step and updates its edges if its outputs were renamed, such as the cases of a switch. */
export function changeStep<G extends Graph>(root: G, key: string, before: Step, next: Step): G {
  const [was, now] = [branchesOf(before), branchesOf(next)];
  const replaced = replaceStep(root, key, next);
  if (was.join("\n") === now.join("\n")) return replaced;
  const names = new Map(was.length === now.length ? was.map((name, n) => [name, now[n]]) : []);
  return changeGraph(replaced, placeOf(key), (graph) =>
    editLines(graph, ({ nodes, edges }) => ({
      nodes,
      edges: edges.flatMap((edge) => {
        if (edge.from !== next.id || edge.when === undefined) return [edge];
        const when = names.get(edge.when) ?? (now.includes(edge.when) ? edge.when : undefined);
        return when === undefined ? [] : [{ ...edge, when }];
      }),
    })),
  );
}
