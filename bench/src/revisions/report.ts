import { median } from "../statistics.ts";
import type { Checkout } from "./checkout.ts";
import { type Compared, type Comparison, totalOf } from "./comparison.ts";
import { type Difference, judge } from "./difference.ts";
import type { Pair, Round } from "./turns.ts";

const HEAD = [
  "work",
  "CPU before",
  "CPU after",
  "difference",
  "verdict",
  "Node",
  "PostgreSQL",
  "elapsed",
  "statements",
  "round trips",
  "WAL bytes",
];

/** The comparison as a Markdown table, aligned for terminals. */
export function drawComparison(comparison: Comparison, checkouts: Pair<Checkout>): string {
  const rows = [HEAD, HEAD.map(() => "---"), ...comparison.works.map(cellsOf)];
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`,
  );
  const [before, after] = checkouts;
  const { startMs, residentMb } = comparison;
  return `Before: ${before.commit} (${before.subject}). After: ${after.commit} (${after.subject}).
CPU: seconds of the processor for 1,000 requests, of Node and PostgreSQL together; medians. Elapsed: ms for each request.

${lines.join("\n")}

Start: ${arrow(startMs, (ms) => `${Math.round(ms)} ms`)}. Resident memory of Node after the start: ${arrow(residentMb, (mb) => `${Math.round(mb)} MB`)}.
`;
}

/** The verdict in a cell. A difference is only reported if its interval excludes zero. */
export function verdictOf(difference: Difference): string {
  const verdict = judge(difference);
  return verdict === "more" || verdict === "less" ? signed(difference.percent) : verdict;
}

function cellsOf({ name, difference, starts, needs }: Compared): string[] {
  const turns = starts.flat();
  const both = (of: (round: Round) => number): Pair<number> => [
    median(turns.map(([before]) => of(before))),
    median(turns.map(([, after]) => of(after))),
  ];
  const [before, after] = both(totalOf);
  const seconds = (us: number): string => (us / 1000).toFixed(3);
  return [
    name,
    seconds(before),
    seconds(after),
    `${signed(difference.percent)} ± ${difference.margin.toFixed(1)}`,
    verdictOf(difference),
    arrow(
      both(({ cpu }) => cpu.node),
      seconds,
    ),
    arrow(
      both(({ cpu }) => cpu.postgres),
      seconds,
    ),
    arrow(
      both(({ elapsedUs }) => elapsedUs),
      (us) => (us / 1000).toFixed(2),
    ),
    arrow([needs[0].statements, needs[1].statements], (count) => count.toFixed(1)),
    arrow([needs[0].roundTrips, needs[1].roundTrips], (count) => count.toFixed(1)),
    arrow(
      both(({ walBytes }) => walBytes),
      (bytes) => String(Math.round(bytes)),
    ),
  ];
}

function signed(percent: number): string {
  return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(1)} %`;
}

function arrow([before, after]: Pair<number>, show: (value: number) => string): string {
  return `${show(before)} → ${show(after)}`;
}
