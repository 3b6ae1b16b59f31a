/** The totals of a report as one statement over its rows, because means cannot be combined from means. */
import { invalidField } from "#kernel/operation/failure.ts";
import type { OpenReportSource } from "#kernel/contributions/report-source.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import type { Definition } from "../report.ts";
import { compileColumns } from "./column.ts";
import type { Column } from "./report-column.ts";
import type { SqlContext } from "./field.ts";
import { type ReportCondition, toReportRow, whereSql } from "./report-sql.ts";

export interface TotalsStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** The rows of the answer by the sets that they are totals of. */
  readonly sort: (rows: readonly SqlRow[]) => Totals;
}

export interface Totals {
  readonly down: Record<string, unknown>[];
  readonly across: Record<string, unknown>[];
  readonly all: Record<string, unknown>;
}

const TOTALS_MAX = 2_000;

/** The statement of the totals: of row groups, of column groups, and overall. */
export function compileTotals(
  source: OpenReportSource,
  definition: Definition,
  ctx: SqlContext,
  narrowing: ReportCondition,
): TotalsStatement {
  const { pivot = [] } = definition;
  const where = whereSql(source, definition, ctx, narrowing);
  const columns = compileColumns(source, definition, ctx);
  const groups = columns.filter(({ role }) => role !== "value");
  const stray = pivot.find((name) => !groups.some((group) => group.name === name));
  if (stray !== undefined) throw invalidField("/pivot", `${stray} is not a group of this report`);
  const isAcross = ({ name }: Column): boolean => pivot.includes(name);
  const sets = {
    down: pivot.length === 0 ? [] : groups.filter((group) => !isAcross(group)),
    across: groups.filter(isAcross),
    all: [],
  };
  // Without a pivot there is only the overall total, and no group is in any set.
  const used = pivot.length === 0 ? [] : groups;
  const selected = columns.map((column, index) => {
    const isUnused = column.role !== "value" && used.length === 0;
    return `${isUnused ? nullSql(column) : column.sql} as "c${index}"`;
  });
  const mask = used.length === 0 ? "0" : `grouping(${used.map(({ sql }) => sql).join(", ")})`;
  const texts = [...new Set(Object.values(sets).map((set) => setSql(columns, set)))];
  const grouped = used.length === 0 ? "" : ` group by grouping sets (${texts.join(", ")})`;
  return {
    text:
      `select ${[...selected, `${mask} as "set"`].join(", ")} from ${source.from}${where}${grouped} ` +
      // The total of all has the highest number.
      `order by "set" desc limit ${TOTALS_MAX}`,
    values: ctx.parameters.values,
    sort(rows) {
      const of = (set: readonly Column[]): Record<string, unknown>[] =>
        rows
          .filter((row) => Number(row["set"]) === groupingMask(used, set))
          .map((row) => toReportRow(columns, row));
      const down = sets.down.length === 0 ? [] : of(sets.down);
      const across = sets.across.length === 0 ? [] : of(sets.across);
      return { down, across, all: of([])[0] ?? {} };
    },
  };
}

function setSql(columns: readonly Column[], set: readonly Column[]): string {
  return `(${set.map((column) => columns.indexOf(column) + 1).join(", ")})`;
}

/** Null, with the parameters of the column, because the statement must contain all of them. */
function nullSql({ sql }: Column): string {
  return `min((${sql})::text) filter (where false)`;
}

/** PostgreSQL's `grouping` value of a set: one bit for each group that is not in it, first group highest. */
function groupingMask(groups: readonly Column[], set: readonly Column[]): number {
  return groups.reduce((mask, group) => mask * 2 + (set.includes(group) ? 0 : 1), 0);
}
