/** Nodes that no run reaches: those with `start: false` that no edge leads to, and what follows them alone. */

/** A graph as far as it is written. */
interface Outline {
  readonly nodes: readonly unknown[];
  readonly edges: readonly unknown[];
}

/** `starts` are nodes that begin runs whatever they say, as those that a trigger names. */
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
