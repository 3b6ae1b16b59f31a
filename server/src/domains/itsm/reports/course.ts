import type { SqlRow } from "#kernel/db/statement.ts";
import type { Period } from "./period.ts";
import type { DeskReport } from "./report.ts";

type Bucket = DeskReport["course"][number];

/** The buckets of a report. The open count at the end of each bucket is computed backwards from the final count. */
export function toCourse(
  rows: readonly SqlRow[],
  { from, to }: Pick<Period, "from" | "to">,
  openAtEnd: number,
): Bucket[] {
  let open = openAtEnd;
  const backwards = rows.toReversed().flatMap((row): Bucket[] => {
    const [begins, ends] = [new Date(String(row["from"])), new Date(String(row["to"]))];
    // The bucket starts at or after the end of the period.
    if (begins >= to) return [];
    const bucket = {
      at: String(row["at"]).slice(0, 10),
      from: (begins < from ? from : begins).toISOString(),
      to: (ends > to ? to : ends).toISOString(),
      created: Number(row["created"]),
      resolved: Number(row["resolved"]),
      open,
    };
    open += bucket.resolved - Number(row["lasting"]);
    return [bucket];
  });
  return backwards.toReversed();
}
