/** Recognises an n8n export by its connections. */
export function readN8nExport(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const { nodes, connections } = Object(value) as Readonly<Record<string, unknown>>;
    const isExport =
      Array.isArray(nodes) && typeof connections === "object" && connections !== null;
    return isExport ? (value as object) : undefined;
  } catch {
    return undefined;
  }
}

interface Reported {
  readonly node: string;
  readonly status: string;
  readonly reasons: readonly string[];
}

const ORDER = ["placeholder", "approximated", "converted"];

/** Sorts nodes by the attention they need; a node of several triggers is listed once. */
export function sortReport<Node extends Reported>(reports: readonly (readonly Node[])[]): Node[] {
  const byName = new Map(reports.flat().map((one) => [one.node, one]));
  return [...byName.values()].toSorted(
    (one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status),
  );
}

interface Gaps {
  /** Nodes without a counterpart. */
  readonly missing: readonly Reported[];
  /** Nodes that need only input from the user. */
  readonly open: readonly Reported[];
}

/** Returns what prevents a complete import; some nodes only need a choice. */
export function findGaps(answer: {
  readonly workflows: readonly { readonly report: readonly Reported[] }[];
  readonly bindings: readonly { readonly kind: string; readonly usedBy: readonly string[] }[];
}): Gaps {
  // A connector can be selected after the import; missing texts prevent it.
  const asked = answer.bindings.filter(({ kind }) => kind === "text");
  const names = new Set(asked.flatMap(({ usedBy }) => usedBy));
  const nodes = sortReport(answer.workflows.map(({ report }) => report));
  const gaps = nodes.filter(({ status }) => status === "placeholder");
  return {
    missing: gaps.filter(({ node }) => !names.has(node)),
    open: gaps.filter(({ node }) => names.has(node)),
  };
}
