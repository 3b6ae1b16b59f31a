/**
 * Several reports over the same rows as one statement. The rows are read once and aggregated by the finest common
 * groups; each report is computed from those aggregates. The result equals that of its separate statement: counts,
 * sums, minima and maxima of parts combine exactly, and other aggregates are not shared.
 */
import type { OpenReportSource } from "#kernel/contributions/report-source.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { mapInTurns } from "#kernel/work/turn-timer.ts";
import type { Definition } from "../report.ts";
import { conditionSql, type SqlContext } from "./field.ts";
import type { Column, ColumnMerge, MergePart } from "./report-column.ts";
import {
  aliasSql,
  boundReport,
  compileReportColumns,
  groupBySql,
  type ReportCondition,
  toReportRow,
  whereSql,
} from "./report-sql.ts";

export interface SharedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Returns whether a report has fewer groups than all reports together. */
  readonly isFiner: boolean;
  /** The rows of each report, in the order of the reports. */
  readonly split: (rows: readonly SqlRow[]) => Promise<readonly SharedPart[]>;
}

/** The result of one report: one row more than its limit if there are more. */
export interface SharedPart {
  readonly columns: readonly Column[];
  readonly rows: readonly Record<string, unknown>[];
  readonly limit: number;
}

/** The name of the finest groups in the query plan. */
export const FINEST = "finest";

/**
 * Compiles reports with the same source and period; undefined if one needs all its rows. A filter that not all
 * reports share becomes a filter of their aggregates. Equal expressions are found by their text, so equal
 * parameters must be merged.
 */
export function compileShared(
  source: OpenReportSource,
  definitions: readonly Definition[],
  ctx: SqlContext,
  narrowing: ReportCondition,
): SharedStatement | undefined {
  const [first] = definitions;
  if (!first) return undefined;
  const { filters, where } = compileFilters(source, definitions, ctx, narrowing);
  const scan = new SharedScan();
  const parts = definitions.map((definition, at) => {
    const filter = filters[at];
    const columns = compileReportColumns(source, definition, ctx);
    const selected = columns.map((column, index) => {
      const sql =
        column.role === "value" ? scan.addValue(column.merge, filter) : scan.addGroup(column.sql);
      return sql === undefined ? undefined : `${sql} as ${aliasSql(index)}`;
    });
    const groups = groupBySql(columns);
    // A group without rows after the filter is dropped.
    const having = groups === "" || filter === undefined ? "" : scan.havingSql(filter);
    const inner = `select ${selected.join(", ")} from ${FINEST}${groups}${having}`;
    const isWhole = selected.every((sql) => sql !== undefined);
    return { columns, isWhole, ...boundReport(source, definition, ctx, { columns, inner }) };
  });
  if (parts.some(({ isWhole }) => !isWhole)) return undefined;
  const groupCounts = parts.map(
    ({ columns }) => columns.filter(({ role }) => role !== "value").length,
  );
  return {
    text: `with ${FINEST} as materialized (${scan.toSql(source.from + where)}) ${joinParts(parts)}`,
    values: ctx.parameters.values,
    isFiner: scan.groupCount > Math.max(...groupCounts),
    async split(rows) {
      const answers: SharedPart[] = [];
      for (const [at, { columns, limit }] of parts.entries()) {
        const own = await mapInTurns(rows, (row) =>
          row[`n${at}`] === null ? [] : [toReportRow(columns, renameRow(columns, row, at))],
        );
        answers.push({ columns, limit, rows: own });
      }
      return answers;
    },
  };
}

/**
 * The filters of reports, and the condition for the rows that any of them needs. A filter that all reports share is
 * only part of that condition.
 */
function compileFilters(
  source: OpenReportSource,
  definitions: readonly Definition[],
  ctx: SqlContext,
  narrowing: ReportCondition,
): { readonly filters: readonly (string | undefined)[]; readonly where: string } {
  const filters = definitions.map(({ filter }) =>
    filter ? conditionSql(filter, { ...ctx, fields: source.fields, at: "/filter" }) : undefined,
  );
  const [first] = definitions;
  const common = first ? whereSql(source, { ...first, filter: null }, ctx, narrowing) : "";
  const distinct = [...new Set(filters)];
  if (distinct.includes(undefined)) return { filters, where: common };
  const some = distinct.map((sql) => `(${sql})`).join(" or ");
  return {
    filters: distinct.length === 1 ? filters.map(() => undefined) : filters,
    where: common === "" ? ` where ${some}` : `${common} and (${some})`,
  };
}

/** The expressions that the reports of a statement need from their rows, without duplicates. */
class SharedScan {
  readonly #groups: string[] = [];
  readonly #operands: string[] = [];
  readonly #aggregates: string[] = [];

  get groupCount(): number {
    return this.#groups.length;
  }

  addGroup(sql: string): string {
    return `g${placeIn(this.#groups, sql)}`;
  }

  /** The value of a report's group, from the finest groups; undefined if it cannot be computed from them. */
  addValue(merge: ColumnMerge | undefined, only: string | undefined): string | undefined {
    return merge?.whole(merge.parts.map((part) => this.#addPart(part, only)));
  }

  /** Leaves out groups without a row of these. */
  havingSql(only: string): string {
    return ` having ${this.#addPart({ fn: "count", operand: undefined, filter: undefined }, only)} > 0`;
  }

  #addPart(part: MergePart, only: string | undefined): string {
    const both = [part.filter, only].filter((sql) => sql !== undefined);
    const filter = both.length === 0 ? undefined : both.map((sql) => `(${sql})`).join(" and ");
    const name = `p${placeIn(this.#aggregates, this.#aggregateSql({ ...part, filter }))}`;
    return `${part.fn === "count" ? "sum" : part.fn}(${name})`;
  }

  #aggregateSql({ fn, operand, filter }: MergePart): string {
    const value = operand === undefined ? "*" : `x${placeIn(this.#operands, operand)}`;
    const only = filter === undefined ? "" : ` filter (where x${placeIn(this.#operands, filter)})`;
    return `${fn}(${value})${only}`;
  }

  /**
   * The finest groups. The offset prevents flattening of the inner query: for an expression in it, the planner
   * expects a few hundred values, otherwise as many days as rows, and would not use parallel aggregation. It is
   * quoted because PostgreSQL treats a cast number as unknown, and then plans no parallel workers.
   */
  toSql(source: string): string {
    const inner = [
      ...this.#groups.map((sql, at) => `${sql} as g${at}`),
      ...this.#operands.map((sql, at) => `${sql} as x${at}`),
    ];
    const outer = [
      ...this.#groups.map((_, at) => `g${at}`),
      ...this.#aggregates.map((sql, at) => `${sql} as p${at}`),
    ];
    const grouped = groupBySql(this.#groups.map(() => ({ role: "group" })));
    return `select ${outer.join(", ")} from (select ${inner.join(", ")} from ${source} offset '0') as scanned${grouped}`;
  }
}

function placeIn(all: string[], sql: string): number {
  const at = all.indexOf(sql);
  return at === -1 ? all.push(sql) - 1 : at;
}

/**
 * The rows of all reports next to each other: first rows, second rows and so on, so that each column keeps its
 * type.
 */
function joinParts(
  parts: readonly { readonly text: string; readonly columns: readonly Column[] }[],
): string {
  const selected = parts.flatMap(({ columns }, at) => [
    `r${at}.n as n${at}`,
    ...columns.map((_, index) => `r${at}.${aliasSql(index)} as "r${at}c${index}"`),
  ]);
  const numbered = parts.map(
    ({ text }, at) => `(select row_number() over () as n, part.* from (${text}) as part) as r${at}`,
  );
  const joined = numbered.reduce((before, next) => `${before} full join ${next} using (n)`);
  return `select ${selected.join(", ")} from ${joined} order by n`;
}

function renameRow(columns: readonly Column[], row: SqlRow, part: number): SqlRow {
  return Object.fromEntries(columns.map((_, index) => [`c${index}`, row[`r${part}c${index}`]]));
}
