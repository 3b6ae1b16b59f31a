/** Converts a plan to lines, with depth and share of the total per node. */
import type { Schemas } from "../../data/api.ts";

export type Plan = Schemas["QueryPlan"];
export type PlanNode = Plan["nodes"][number];

export interface PlanLine {
  readonly node: PlanNode;
  readonly depth: number;
  /** The share of the time, or of the cost if the plan was not executed; undefined if neither is known. */
  readonly share: number | undefined;
  /** The time or cost without that of child nodes. */
  readonly own: number | undefined;
  /** The ratio between actual and estimated rows. */
  readonly missedBy: number | undefined;
}

const MISSED_MIN = 10;

export function toPlanLines({ nodes }: Plan): readonly PlanLine[] {
  const measure = ({ durationMs, estimatedCost }: PlanNode): number | undefined =>
    durationMs ?? estimatedCost;
  const depths: number[] = [];
  const below = new Map<number, number>();
  for (const node of nodes) {
    depths.push(node.parent === null ? 0 : (depths[node.parent] ?? 0) + 1);
    if (node.parent === null) continue;
    below.set(node.parent, (below.get(node.parent) ?? 0) + (measure(node) ?? 0));
  }
  const owns = nodes.map((node) => {
    const whole = measure(node);
    return whole === undefined ? undefined : Math.max(0, whole - (below.get(node.id) ?? 0));
  });
  const total = owns.reduce<number>((sum, own) => sum + (own ?? 0), 0);
  return nodes.map((node, at) => {
    const own = owns[at];
    return {
      node,
      depth: depths[at] ?? 0,
      own,
      share: own === undefined || total === 0 ? undefined : own / total,
      missedBy: missOf(node),
    };
  });
}

function missOf({ rows, estimatedRows }: PlanNode): number | undefined {
  if (rows === undefined || estimatedRows === undefined) return undefined;
  const [low, high] = [Math.min(rows, estimatedRows), Math.max(rows, estimatedRows)];
  const ratio = high / Math.max(1, low);
  return ratio >= MISSED_MIN ? ratio : undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  "Seq Scan": "Reads all rows",
  "Index Scan": "Finds rows with an index",
  "Index Only Scan": "Reads only the index",
  "Bitmap Heap Scan": "Reads the rows found by an index",
  "Bitmap Index Scan": "Collects row locations from an index",
  "Hash Join": "Joins with a hash table",
  "Nested Loop": "Joins row by row",
  "Merge Join": "Joins two sorted lists",
  Hash: "Builds a hash table",
  Aggregate: "Computes aggregates",
  Sort: "Sorts",
  "Incremental Sort": "Sorts partially sorted rows",
  Limit: "Returns a limited number of rows",
  "CTE Scan": "Reads a common table expression",
  "Subquery Scan": "Reads a subquery",
  WindowAgg: "Computes window functions",
  Materialize: "Keeps rows in memory for reuse",
  Memoize: "Caches results",
  Unique: "Removes duplicates",
  Append: "Concatenates results",
  "Function Scan": "Reads the rows of a function",
  Result: "Computes a value",
  "Values Scan": "Reads the rows of a VALUES list",
  Gather: "Collects rows from parallel workers",
};

export const wordsOf = ({ type }: PlanNode): string | undefined => WORDS[type];
