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
  "Seq Scan": "Reads every row",
  "Index Scan": "Finds rows by an index",
  "Index Only Scan": "Answers from an index alone",
  "Bitmap Heap Scan": "Reads the rows that an index found",
  "Bitmap Index Scan": "Collects rows of an index",
  "Hash Join": "Joins by a hash table",
  "Nested Loop": "Joins row by row",
  "Merge Join": "Joins two sorted lists",
  Hash: "Builds a hash table",
  Aggregate: "Counts and sums",
  Sort: "Sorts",
  "Incremental Sort": "Sorts what is sorted in part",
  Limit: "Stops after so many rows",
  "CTE Scan": "Reads a named part again",
  "Subquery Scan": "Takes the rows of a part",
  WindowAgg: "Computes windows",
  Materialize: "Keeps rows for later",
  Memoize: "Remembers what it found",
  Unique: "Drops what is double",
  Append: "Puts parts one behind the other",
  "Function Scan": "Takes the rows of a function",
  Result: "Computes a value",
  "Values Scan": "Takes the values written there",
  Gather: "Collects from several processes",
};

export const wordsOf = ({ type }: PlanNode): string | undefined => WORDS[type];
