/** A report as one statement. Names in it come from our own table of fields, values are parameters. */
import type { SqlParameters, SqlRow } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import type { OpenReportSource, ReportField } from "#kernel/contributions/report-source.ts";
import { type Column, compileColumns } from "./column.ts";
import { conditionSql } from "./field.ts";
import { type Definition, ROWS_MAX } from "./report.ts";

/** Further conditions of a report beyond its own filter. */
export interface ReportCondition {
  /** A further condition, and where it stands in what was sent. */
  readonly filter?: { readonly condition: unknown; readonly at: string };
  /** Only rows of this span: `from` belongs to it, `to` does not. */
  readonly between?: {
    /** The time at which a row came to be, when absent. */
    readonly field: string | undefined;
    readonly from: Date | undefined;
    readonly to: Date | undefined;
    readonly at: string;
  };
}

export interface ReportStatement {
  readonly columns: readonly Column[];
  readonly text: string;
  readonly values: readonly unknown[];
  /** The most rows that it answers; the statement reads one more, where it can. */
  readonly limit: number;
}

/** The conditions of a report: those of the caller's rights, its own, and further ones. */
export function whereSql(
  source: OpenReportSource,
  filter: unknown,
  parameters: SqlParameters,
  narrowing: ReportCondition = {},
): string {
  const { fields } = source;
  const parts = [
    source.where,
    filter ? conditionSql(filter, { fields, at: "/filter", parameters }) : undefined,
    narrowing.filter &&
      conditionSql(narrowing.filter.condition, { fields, at: narrowing.filter.at, parameters }),
    ...betweenSql(source, narrowing, parameters),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : ` where ${parts.map((part) => `(${part})`).join(" and ")}`;
}

function betweenSql(
  { fields, time }: OpenReportSource,
  { between }: ReportCondition,
  parameters: SqlParameters,
): readonly string[] {
  if (!between) return [];
  const { field: name = time, from, to, at } = between;
  if (name === undefined)
    throw invalidField(at, "is required: its rows do not tell when they came to be");
  const field = fields.get(name);
  if (field?.kind !== "time") throw invalidField(at, `${name} is not a field that holds times`);
  return [
    ...(from ? [`${field.sql} >= ${parameters.add(from, "timestamptz")}`] : []),
    ...(to ? [`${field.sql} < ${parameters.add(to, "timestamptz")}`] : []),
  ];
}

/** The statement of a report over a source that was opened with these parameters. */
export function compileReport(
  source: OpenReportSource,
  definition: Definition,
  parameters: SqlParameters,
  narrowing: ReportCondition = {},
): ReportStatement {
  const where = whereSql(source, definition.filter, parameters, narrowing);
  const columns = compileColumns(source, definition, parameters);
  assertChart(definition, columns);
  const isFilled = definition.timeBucket?.fill === true;
  if (isFilled && (definition.having ?? definition.sort) !== null) {
    throw invalidField("/timeBucket/fill", "does not go with having or sort");
  }
  const groups = columns.filter(({ role }) => role !== "value");
  const selected = columns.map(({ sql }, index) => `${sql} as ${aliasSql(index)}`).join(", ");
  const grouped =
    groups.length === 0 ? "" : ` group by ${groups.map((_, at) => at + 1).join(", ")}`;
  const inner = `select ${selected} from ${source.from}${where}${grouped}`;
  const having = havingSql(definition, columns, parameters);
  const order = orderBySql(definition.sort, columns);
  // Buckets that are filled in count too, and are not known yet.
  const limit = isFilled ? ROWS_MAX : definition.limit;
  const rowsMax = Math.min(limit + 1, source.rowsMax ?? Number.POSITIVE_INFINITY);
  const text = `select * from (${inner}) as report${having}${order} limit ${rowsMax}`;
  return { columns, text, values: parameters.values, limit };
}

/** The values of a row by the names of their columns. */
export function toReportRow(columns: readonly Column[], row: SqlRow): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, show }, index) => [name, show(row[`c${index}`] ?? null)]),
  );
}

function aliasSql(index: number): string {
  return `"c${index}"`;
}

function havingSql(
  { having }: Definition,
  columns: readonly Column[],
  parameters: SqlParameters,
): string {
  if (!having) return "";
  const fields = new Map<string, ReportField>(
    columns.map(({ name, kind }, index) => [name, { sql: aliasSql(index), kind }]),
  );
  return ` where ${conditionSql(having, { fields, at: "/having", parameters })}`;
}

const UNORDERED = new Set(["texts"]);

/** The requested order, then the groups, so that it is always the same. */
function orderBySql(sort: string | null, columns: readonly Column[]): string {
  const words = sort === null ? [] : sort.split(",").map((word) => word.trim());
  const requested = words.map((word) => {
    const name = word.replace(/^-/, "");
    const index = columns.findIndex((column) => column.name === name);
    if (index === -1) throw invalidField("/sort", `${name} is not a column of the answer`);
    return { index, descending: word.startsWith("-") };
  });
  const rest = columns.flatMap(({ role, kind }, index) => {
    const isFurther = role !== "value" && !UNORDERED.has(kind);
    return isFurther && !requested.some((key) => key.index === index)
      ? [{ index, descending: false }]
      : [];
  });
  const keys = [...requested, ...rest].map(
    ({ index, descending }) => `${aliasSql(index)}${descending ? " desc" : ""} nulls last`,
  );
  return keys.length === 0 ? "" : ` order by ${keys.join(", ")}`;
}

function assertChart({ chart }: Definition, columns: readonly Column[]): void {
  if (!chart) return;
  const names = new Set(columns.map(({ name }) => name));
  const { x, y = [], series } = chart;
  const named = [
    ["/chart/x", x],
    ["/chart/series", series],
    ...y.map((name, index) => [`/chart/y/${index}`, name] as const),
  ] as const;
  for (const [at, name] of named) {
    if (name !== undefined && !names.has(name)) {
      throw invalidField(at, `${name} is not a column of the answer`);
    }
  }
}
