/** A report as one statement. Names come from the fixed list of fields, values are parameters. */
import type { SqlRow } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import type { OpenReportSource, ReportField } from "#kernel/contributions/report-source.ts";
import type { RelativeClock } from "#kernel/condition/relative-time.ts";
import { compileColumns } from "./column.ts";
import type { Column } from "./report-column.ts";
import { conditionSql, type SqlContext } from "./field.ts";
import { type Period, type Span, resolvePeriod } from "../definition/period.ts";
import { type Definition, ROWS_MAX } from "../report.ts";

/** Further conditions of a report beyond its own filter. */
export interface ReportCondition {
  /** An additional condition, and its path in the request. */
  readonly filter?: { readonly condition: unknown; readonly at: string };
  /** Only rows of this span: `from` belongs to it, `to` does not. */
  readonly between?: {
    /** By default, the creation time of a row. */
    readonly field: string | undefined;
    readonly from: Date | undefined;
    readonly to: Date | undefined;
    readonly at: string;
  };
  /** A period that replaces the report's own; not available for sources without a time. */
  readonly period?: Pick<Period, "from" | "to">;
  /** Conditions by field; those whose field the source does not have are skipped. */
  readonly bar?: Readonly<Record<string, unknown>>;
  /** The span of the comparison, instead of the report's period. */
  readonly span?: Span;
  /** The time and zone that relative times refer to. */
  readonly clock?: RelativeClock;
}

export interface ReportStatement {
  readonly columns: readonly Column[];
  readonly text: string;
  readonly values: readonly unknown[];
  /** The maximum number of rows; the statement reads one more if possible. */
  readonly limit: number;
}

type Timed = Pick<Definition, "period"> & Partial<Pick<Definition, "timeBucket">>;

/** The field of a period: its own, otherwise the field of the buckets; undefined means the source's time. */
export function periodField({ period, timeBucket }: Timed): string | undefined {
  return period?.field ?? timeBucket?.field;
}

/** The span of a report: its own, or one that replaces it. */
export function resolveSpan(
  { period }: Pick<Definition, "period">,
  { period: other, span }: ReportCondition,
  clock: RelativeClock,
): Span | undefined {
  if (span) return span;
  if (other) return resolvePeriod(other, clock, "?period");
  return period && resolvePeriod(period, clock);
}

/** The conditions of a filter bar for which the source has fields, and the names of the others. */
export function splitBar(
  { fields, time }: OpenReportSource,
  definition: Timed,
  { bar = {}, period }: ReportCondition,
): { readonly applied: Readonly<Record<string, unknown>>; readonly skipped: readonly string[] } {
  const isKnown = (path: string): boolean =>
    fields.get(path) !== undefined || fields.get(path.split(".")[0] ?? "")?.kind === "json";
  const entries = Object.entries(bar);
  const isTimeless = period && periodField(definition) === undefined && time === undefined;
  return {
    applied: Object.fromEntries(entries.filter(([path]) => isKnown(path))),
    skipped: [
      ...entries.flatMap(([path]) => (isKnown(path) ? [] : [path])),
      ...(isTimeless ? ["period"] : []),
    ],
  };
}

/** The conditions of a report: access rules, its own filter, and additional ones. */
export function whereSql(
  source: OpenReportSource,
  definition: Pick<Definition, "filter"> & Timed,
  ctx: SqlContext,
  narrowing: ReportCondition = {},
): string {
  const { fields } = source;
  const { filter } = definition;
  const { applied, skipped } = splitBar(source, definition, narrowing);
  const span = skipped.includes("period")
    ? undefined
    : resolveSpan(definition, narrowing, ctx.clock);
  const parts = [
    source.where,
    filter ? conditionSql(filter, { ...ctx, fields, at: "/filter" }) : undefined,
    narrowing.filter &&
      conditionSql(narrowing.filter.condition, { ...ctx, fields, at: narrowing.filter.at }),
    Object.keys(applied).length > 0
      ? conditionSql(applied, { ...ctx, fields, at: "?filter" })
      : undefined,
    ...(narrowing.between ? betweenSql(source, narrowing.between, ctx) : []),
    ...(span
      ? betweenSql(source, { ...span, field: periodField(definition), at: "/period/field" }, ctx)
      : []),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : ` where ${parts.map((part) => `(${part})`).join(" and ")}`;
}

function betweenSql(
  { fields, time }: OpenReportSource,
  { field: name = time, from, to, at }: NonNullable<ReportCondition["between"]>,
  { parameters, clock }: SqlContext,
): readonly string[] {
  if (name === undefined)
    throw invalidField(at, "is required because the rows of this source have no creation time");
  const field = fields.get(name);
  if (field?.kind !== "time" && field?.kind !== "date")
    throw invalidField(at, `${name} is not a time field`);
  const operand = (moment: Date): string => {
    const added = parameters.add(moment, "timestamptz");
    if (field.kind === "time") return added;
    // The first day that begins then or later.
    const zone = parameters.add(clock.timezone, "text");
    return `(((${added} - interval '1 microsecond') at time zone ${zone})::date + 1)`;
  };
  return [
    ...(from ? [`${field.sql} >= ${operand(from)}`] : []),
    ...(to ? [`${field.sql} < ${operand(to)}`] : []),
  ];
}

/** The statement of a report over a source that was opened with these parameters. */
export function compileReport(
  source: OpenReportSource,
  definition: Definition,
  ctx: SqlContext,
  narrowing: ReportCondition = {},
): ReportStatement {
  const where = whereSql(source, definition, ctx, narrowing);
  const columns = compileReportColumns(source, definition, ctx);
  const selected = columns.map(({ sql }, index) => `${sql} as ${aliasSql(index)}`).join(", ");
  const inner = `select ${selected} from ${source.from}${where}${groupBySql(columns)}`;
  const { text, limit } = boundReport(source, definition, ctx, { columns, inner });
  return { columns, text, values: ctx.parameters.values, limit };
}

/** The columns of a report, validated against the rest of its definition. */
export function compileReportColumns(
  source: OpenReportSource,
  definition: Definition,
  ctx: SqlContext,
): readonly Column[] {
  const columns = compileColumns(source, definition, ctx);
  assertChart(definition, columns);
  if (definition.timeBucket?.fill === true && (definition.having ?? definition.sort) !== null) {
    throw invalidField("/timeBucket/fill", "can't be combined with having or sort");
  }
  return columns;
}

/** The `group by` clause of a statement that starts with these columns. */
export function groupBySql(columns: readonly Pick<Column, "role">[]): string {
  const groups = columns.filter(({ role }) => role !== "value");
  return groups.length === 0 ? "" : ` group by ${groups.map((_, at) => at + 1).join(", ")}`;
}

/** Applies having, sort and limit of a report to its groups. */
export function boundReport(
  source: OpenReportSource,
  definition: Definition,
  ctx: SqlContext,
  { columns, inner }: { readonly columns: readonly Column[]; readonly inner: string },
): { readonly text: string; readonly limit: number } {
  const having = havingSql(definition, columns, ctx);
  const order = orderBySql(definition.sort, columns);
  // Buckets that are filled in count too, and are not known yet.
  const limit = definition.timeBucket?.fill === true ? ROWS_MAX : definition.limit;
  const rowsMax = Math.min(limit + 1, source.rowsMax ?? Number.POSITIVE_INFINITY);
  return { text: `select * from (${inner}) as report${having}${order} limit ${rowsMax}`, limit };
}

/** The values of a row by column name. */
export function toReportRow(columns: readonly Column[], row: SqlRow): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, show }, index) => [name, show(row[`c${index}`] ?? null)]),
  );
}

/** The name of a column in a statement. */
export function aliasSql(index: number): string {
  return `"c${index}"`;
}

function havingSql({ having }: Definition, columns: readonly Column[], ctx: SqlContext): string {
  if (!having) return "";
  const fields = new Map<string, ReportField>(
    columns.map(({ name, kind }, index) => [name, { sql: aliasSql(index), kind }]),
  );
  return ` where ${conditionSql(having, { ...ctx, fields, at: "/having" })}`;
}

const UNORDERED = new Set(["texts"]);

/** The requested order, then the groups, so that the order is deterministic. */
function orderBySql(sort: string | null, columns: readonly Column[]): string {
  const words = sort === null ? [] : sort.split(",").map((word) => word.trim());
  const requested = words.map((word) => {
    const name = word.replace(/^-/, "");
    const index = columns.findIndex((column) => column.name === name);
    if (index === -1) throw invalidField("/sort", `${name} is not a column of the result`);
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
      throw invalidField(at, `${name} is not a column of the result`);
    }
  }
}
