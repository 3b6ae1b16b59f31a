/** An export of n8n: told from a definition of ours by its connections. */
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

/** Nodes in the order in which somebody must look at them; one of several triggers is there once. */
export function sortReport<Node extends Reported>(reports: readonly (readonly Node[])[]): Node[] {
  const byName = new Map(reports.flat().map((one) => [one.node, one]));
  return [...byName.values()].toSorted(
    (one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status),
  );
}
