import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import {
  type Edge,
  edgesAmong,
  firstItems,
  type EdgeFilter,
  neighboursOf,
  summariesOf,
  type Summary,
} from "./edges.ts";
import { traverse } from "./traverse.ts";

export interface Topology {
  readonly root: string | null;
  readonly nodes: (Summary & { readonly hops: number | null })[];
  readonly edges: Edge[];
  readonly truncated: boolean;
}

/** The items around one, and all relationships between them. */
export async function around(
  tx: Tx,
  followed: EdgeFilter,
  { root, depth, limit }: { readonly root: string; readonly depth: number; readonly limit: number },
): Promise<Topology> {
  const steps = neighboursOf(tx, followed);
  const { reached, truncated } = await traverse({ root, depth, nodesMax: limit, stepFrom: steps });
  const ids = [...reached.keys()];
  const [summaries, among] = await Promise.all([
    summariesOf(tx, ids),
    edgesAmong(tx, ids, followed.types),
  ]);
  if (!summaries.has(root)) throw new Failure(NotFound, { detail: "There is no such root." });
  const nodes = [...reached].flatMap(([id, { hops }]) => {
    const summary = summaries.get(id);
    // One may have been deleted since.
    return summary ? [{ ...summary, hops }] : [];
  });
  return { root, nodes, edges: among.edges, truncated: truncated || among.truncated };
}

/** The whole graph, as far as there is room, from the items that were entered first. */
export async function overview(
  tx: Tx,
  types: readonly string[] | undefined,
  limit: number,
): Promise<Topology> {
  const items = await firstItems(tx, limit + 1);
  const nodes = items.slice(0, limit).map((item) => ({ ...item, hops: null }));
  const among = await edgesAmong(
    tx,
    nodes.map(({ id }) => id),
    types,
  );
  const truncated = items.length > limit || among.truncated;
  return { root: null, nodes, edges: among.edges, truncated };
}

export interface Path {
  readonly hops: number | null;
  readonly nodes: Summary[];
  readonly edges: Edge[];
  readonly truncated: boolean;
}

const PATH_NODES_MAX = 20_000;

/** One of the shortest ways from an item to another. */
export async function pathBetween(
  tx: Tx,
  followed: EdgeFilter,
  { from, to, depth }: { readonly from: string; readonly to: string; readonly depth: number },
): Promise<Path> {
  const steps = neighboursOf(tx, followed);
  const walking = { root: from, depth, nodesMax: PATH_NODES_MAX, goal: to, stepFrom: steps };
  const { reached, truncated } = await traverse(walking);
  const ids: string[] = [];
  if (reached.has(to)) {
    for (let id: string | undefined = to; id !== undefined; id = reached.get(id)?.by?.via) {
      ids.unshift(id);
    }
  }
  const [summaries, among] = await Promise.all([
    summariesOf(tx, [from, to, ...ids]),
    edgesAmong(tx, ids, followed.types),
  ]);
  for (const [name, id] of Object.entries({ from, to })) {
    if (!summaries.has(id))
      throw new Failure(NotFound, { detail: `There is no such \`${name}\`.` });
  }
  const place = new Map(ids.map((id, index) => [id, index]));
  const lengthOf = (edge: Edge) => (place.get(edge.to) ?? 0) - (place.get(edge.from) ?? 0);
  const lengths = { downstream: [1], upstream: [-1], both: [1, -1] }[followed.direction];
  return {
    hops: ids.length === 0 ? null : ids.length - 1,
    nodes: ids.flatMap((id) => summaries.get(id) ?? []),
    edges: among.edges.filter((edge) => lengths.includes(lengthOf(edge))),
    truncated: ids.length === 0 && truncated,
  };
}
