/** The branches of a race: the parts of its graph that no edge connects. */

/** A graph as far as it is written. */
interface Outline {
  readonly nodes: readonly unknown[];
  readonly edges: readonly unknown[];
}

/** The ids of the nodes of each branch, both in the order in which they are written. */
export function listBranches({ nodes, edges }: Outline): string[][] {
  const leaders = new Map<string, string>();
  const leaderOf = (id: string): string => {
    let leader = id;
    for (let next = leaders.get(leader); next !== undefined && next !== leader;) {
      leader = next;
      next = leaders.get(leader);
    }
    return leader;
  };
  const ids = nodes.flatMap((node) => {
    const { id } = Object(node) as { readonly id?: unknown };
    return typeof id === "string" ? [id] : [];
  });
  for (const id of ids) leaders.set(id, id);
  for (const edge of edges) {
    const { from, to } = Object(edge) as { readonly from?: unknown; readonly to?: unknown };
    if (typeof from !== "string" || typeof to !== "string") continue;
    if (leaders.has(from) && leaders.has(to)) leaders.set(leaderOf(to), leaderOf(from));
  }
  return [...Map.groupBy(new Set(ids), leaderOf).values()];
}
