import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import {
  type Edge,
  listEdgesAmong,
  listFirstItems,
  type EdgeFilter,
  neighbourQuery,
  findSummaries,
  type ItemSummary,
} from "./edges.ts";
import { traverse } from "./traverse.ts";

export interface Topology {
  readonly root: string | null;
  readonly nodes: (ItemSummary & { readonly hops: number | null })[];
  readonly edges: Edge[];
  readonly truncated: boolean;
}

/** Reads the items around an item, and all relationships between them. */
export async function readNeighbourhood(
  tx: Tx,
  filter: EdgeFilter,
  { root, depth, limit }: { readonly root: string; readonly depth: number; readonly limit: number },
): Promise<Topology> {
  const stepFrom = neighbourQuery(tx, filter);
  const { reached, truncated } = await traverse({ root, depth, nodesMax: limit, stepFrom });
  const ids = [...reached.keys()];
  const [summaries, among] = await Promise.all([
    findSummaries(tx, ids),
    listEdgesAmong(tx, ids, filter.types),
  ]);
  if (!summaries.has(root))
    throw new Failure(NotFound, { detail: "The root item does not exist." });
  const nodes = [...reached].flatMap(([id, { hops }]) => {
    const summary = summaries.get(id);
    // The item may have been deleted in the meantime.
    return summary ? [{ ...summary, hops }] : [];
  });
  return { root, nodes, edges: among.edges, truncated: truncated || among.truncated };
}

/** Reads the complete graph up to a limit, oldest items first. */
export async function readWholeGraph(
  tx: Tx,
  types: readonly string[] | undefined,
  limit: number,
): Promise<Topology> {
  const items = await listFirstItems(tx, limit + 1);
  const nodes = items.slice(0, limit).map((item) => ({ ...item, hops: null }));
  const among = await listEdgesAmong(
    tx,
    nodes.map(({ id }) => id),
    types,
  );
  const truncated = items.length > limit || among.truncated;
  return { root: null, nodes, edges: among.edges, truncated };
}

export interface GraphPath {
  readonly hops: number | null;
  readonly nodes: ItemSummary[];
  readonly edges: Edge[];
  readonly truncated: boolean;
}

const PATH_NODES_MAX = 20_000;

/** Finds a shortest path between two items. */
export async function findShortestPath(
  tx: Tx,
  filter: EdgeFilter,
  { from, to, depth }: { readonly from: string; readonly to: string; readonly depth: number },
): Promise<GraphPath> {
  const stepFrom = neighbourQuery(tx, filter);
  const traversal = { root: from, depth, nodesMax: PATH_NODES_MAX, goal: to, stepFrom };
  const { reached, truncated } = await traverse(traversal);
  const ids: string[] = [];
  if (reached.has(to)) {
    for (let id: string | undefined = to; id !== undefined; id = reached.get(id)?.by?.via) {
      ids.unshift(id);
    }
  }
  const [summaries, among] = await Promise.all([
    findSummaries(tx, [from, to, ...ids]),
    listEdgesAmong(tx, ids, filter.types),
  ]);
  for (const [name, id] of Object.entries({ from, to })) {
    if (!summaries.has(id))
      throw new Failure(NotFound, { detail: `The item in \`${name}\` does not exist.` });
  }
  const order = new Map(ids.map((id, index) => [id, index]));
  const orderDifference = (edge: Edge) => (order.get(edge.to) ?? 0) - (order.get(edge.from) ?? 0);
  const differences = { downstream: [1], upstream: [-1], both: [1, -1] }[filter.direction];
  return {
    hops: ids.length === 0 ? null : ids.length - 1,
    nodes: ids.flatMap((id) => summaries.get(id) ?? []),
    edges: among.edges.filter((edge) => differences.includes(orderDifference(edge))),
    truncated: ids.length === 0 && truncated,
  };
}
