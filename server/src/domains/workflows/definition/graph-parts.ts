/** Finds disconnected parts of a graph: the branches of a race, and unreachable nodes. */

/** An incomplete graph. */
interface Outline {
  readonly nodes: readonly unknown[];
  readonly edges: readonly unknown[];
}

/** The node ids of each branch, in written order. */
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

/**
 * Finds unreachable nodes: nodes with `start: false` and no incoming edges, and nodes reachable only from them.
 * Nodes in `starts` always start, for example because a trigger references them.
 */
export function findUnconnected(
  { nodes, edges }: Outline,
  starts: ReadonlySet<unknown> = new Set(),
): ReadonlySet<string> {
  const lines = edges.map(
    (edge) => Object(edge) as { readonly from?: unknown; readonly to?: unknown },
  );
  const hasIncoming = new Set(lines.map(({ to }) => to));
  const outgoing = Map.groupBy(lines, ({ from }) => from);
  const known = nodes.map(
    (node) => Object(node) as { readonly id?: unknown; readonly start?: unknown },
  );
  const pending: unknown[] = known.flatMap(({ id, start }) =>
    starts.has(id) || (!hasIncoming.has(id) && start !== false) ? [id] : [],
  );
  const reached = new Set(pending);
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    for (const { to } of outgoing.get(id) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      pending.push(to);
    }
  }
  return new Set(
    known.flatMap(({ id }) => (typeof id === "string" && !reached.has(id) ? [id] : [])),
  );
}
