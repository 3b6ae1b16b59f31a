import type { SqlRow } from "#kernel/db/statement.ts";
import type { Period } from "./period.ts";
import type { DeskReport } from "./report.ts";

type Bucket = DeskReport["course"][number];

/** The buckets of a report; what was open at the end of each follows from what is at the end of all, backwards. */
export function toCourse(
  rows: readonly SqlRow[],
  { from, to }: Pick<Period, "from" | "to">,
  openAtEnd: number,
): Bucket[] {
  let open = openAtEnd;
  const backwards = rows.toReversed().flatMap((row): Bucket[] => {
    const [begins, ends] = [new Date(String(row["from"])), new Date(String(row["to"]))];
    // A time that ends where a bucket begins has none of it.
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
