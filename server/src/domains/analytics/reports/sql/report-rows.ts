/** Individual rows: those behind a group of a report, and those that are exported. */
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import { SqlParameters, type SqlRow } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import type { OpenReportSource, ReportRequest } from "#kernel/contributions/report-source.ts";
import { compileColumns } from "./column.ts";
import type { Column } from "./report-column.ts";
import { conditionSql, fieldAt, type SqlContext, valueConverter } from "./field.ts";
import { stepRowsSql } from "./funnel-sql.ts";
import { type ReportCondition, whereSql } from "./report-sql.ts";
import { measureFilter, valueName } from "./value-column.ts";
import type { Definition } from "../report.ts";
import { queryInTurn } from "../run-report.ts";

export interface RowField {
  readonly name: string;
  readonly title?: string | undefined;
  readonly kind: ConditionFieldKind;
  readonly sql: string;
  readonly show: (stored: unknown) => unknown;
}

/** Some fields of the rows of a source, in one direction along the key. */
export interface RowListing {
  readonly source: OpenReportSource;
  readonly fields: readonly RowField[];
  readonly where: string;
  /** The parameters of `where`. */
  readonly conditions: readonly unknown[];
  /** The parameters of `where` and `fields`. */
  readonly values: readonly unknown[];
  readonly descending: boolean;
}

/** A row and its position. */
export interface PositionedRow {
  readonly row: Record<string, unknown>;
  readonly place: readonly unknown[];
}

/** The rows of a source that match a filter, oldest first. */
export function rowListing(
  source: OpenReportSource,
  query: Pick<Definition, "filter"> & { readonly fields: readonly string[] | null },
  ctx: SqlContext,
): RowListing {
  const where = whereSql(source, query, ctx);
  const conditions = [...ctx.parameters.values];
  return {
    ...selectFields(source, query.fields, ctx),
    source,
    where,
    conditions,
    descending: false,
  };
}

/** Identifies a number of a report: its group, its measure, and the filters applied to the report. */
export interface Mark {
  readonly group: Readonly<Record<string, unknown>>;
  readonly measure?: string | undefined;
  readonly narrowing?: ReportCondition;
}

/** The rows behind one number of a report, newest first. */
export function groupListing(
  source: OpenReportSource,
  definition: Definition,
  ctx: SqlContext,
  { group, measure, narrowing = {} }: Mark,
): RowListing {
  const base = whereSql(source, definition, ctx, narrowing);
  const parts = definition.funnel
    ? stepParts(source, definition, ctx, { group, base })
    : [
        ...groupParts(source, definition, ctx, group),
        ...measureParts(source, definition, ctx, measure),
      ];
  const joined = parts.join(" and ");
  const where = joined === "" ? base : `${base === "" ? " where" : `${base} and`} ${joined}`;
  const conditions = [...ctx.parameters.values];
  return { ...selectFields(source, null, ctx), source, where, conditions, descending: true };
}

function groupParts(
  source: OpenReportSource,
  definition: Definition,
  ctx: SqlContext,
  group: Mark["group"],
): readonly string[] {
  const groups = compileColumns(source, { ...definition, aggregates: [] }, ctx);
  const stray = Object.keys(group).find((name) => !groups.some((column) => column.name === name));
  if (stray !== undefined) throw invalidField("?group", `${stray} is not a group of this report`);
  const valueOf = (name: string) => (Object.hasOwn(group, name) ? group[name] : undefined);
  return groups.map((column) => groupSql(column, valueOf(column.name), ctx.parameters));
}

/** A measure with its own filter covers fewer rows than the report. */
function measureParts(
  { fields }: OpenReportSource,
  { aggregates }: Definition,
  ctx: SqlContext,
  measure: string | undefined,
): readonly string[] {
  if (measure === undefined) return [];
  const index = aggregates.findIndex((aggregate) => valueName(aggregate) === measure);
  const aggregate = aggregates[index];
  if (!aggregate) throw invalidField("?measure", `${measure} is not a value of this report`);
  const filter = measureFilter(aggregate);
  const at = `/aggregates/${index}/filter`;
  return filter === undefined ? [] : [`(${conditionSql(filter, { ...ctx, fields, at })})`];
}

function stepParts(
  source: OpenReportSource,
  { funnel, period }: Definition,
  ctx: SqlContext,
  { group, base }: { readonly group: Mark["group"]; readonly base: string },
): readonly string[] {
  const step = funnel?.steps.findIndex(({ name }) => name === group["step"]) ?? -1;
  if (!funnel || step === -1)
    throw invalidField("?group", "must be the name of a step of the funnel");
  return [stepRowsSql(source, { funnel, time: period?.field, base }, ctx, step)];
}

const CASTS: Readonly<Record<Column["kind"], string>> = {
  text: "text",
  number: "numeric",
  boolean: "boolean",
  time: "timestamptz",
  date: "date",
  json: "jsonb",
  texts: "text[]",
};

/** An omitted column matches all values; its expression stays in the statement because of its parameters. */
function groupSql({ name, kind, sql }: Column, value: unknown, parameters: SqlParameters): string {
  if (value === undefined) return `((${sql}) is null or (${sql}) is not null)`;
  if (value === null) return `(${sql}) is null`;
  assertKind(name, kind, value);
  const operand = kind === "json" ? JSON.stringify(value) : value;
  return `(${sql}) = ${parameters.add(operand, CASTS[kind])}`;
}

function assertKind(name: string, kind: Column["kind"], value: unknown): void {
  const isRight = {
    text: typeof value === "string",
    number: typeof value === "number" || (typeof value === "string" && NUMBER.test(value)),
    boolean: typeof value === "boolean",
    time: typeof value === "string" && TIME.test(value) && isDay(value),
    date: typeof value === "string" && DAY.test(value) && isDay(value),
    json: true,
    texts: Array.isArray(value) && value.every((member) => typeof member === "string"),
  }[kind];
  if (!isRight) throw invalidField("?group", `${name} must be a value of this group in the report`);
}

const NUMBER = /^-?\d+(\.\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const YEAR_ZERO = "0000";

/**
 * Returns whether a text starts with an existing date: JavaScript parses the 30th of February as a day in March.
 */
function isDay(text: string): boolean {
  const ms = Date.parse(text);
  const [year, day] = [text.slice(0, YEAR_ZERO.length), text.slice(0, "2026-01-01".length)];
  return year !== YEAR_ZERO && !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

function selectFields(
  source: OpenReportSource,
  names: readonly string[] | null,
  ctx: SqlContext,
): Pick<RowListing, "fields" | "values"> {
  const fields = (names ?? [...source.fields.keys()]).map((name, index) => {
    const field = fieldAt(source.fields, name, { ...ctx, at: `/fields/${index}` });
    return {
      name,
      title: field.title,
      kind: field.kind,
      sql: field.sql,
      show: valueConverter(field),
    };
  });
  return { fields, values: ctx.parameters.values };
}

/** Reads a number of rows after a position, or from the start. */
export async function readRowsAfter(
  request: ReportRequest,
  listing: RowListing,
  after: readonly unknown[] | undefined,
  count: number,
): Promise<readonly PositionedRow[]> {
  const { source, fields, where, descending } = listing;
  const { key } = source;
  const parameters = new SqlParameters(listing.values);
  const selected = [
    ...key.map(({ sql }, index) => `${sql} as "k${index}"`),
    ...fields.map(({ sql }, index) => `${sql} as "f${index}"`),
  ].join(", ");
  const columns = key.map(({ sql }) => sql).join(", ");
  const places = after?.map((value, index) => parameters.add(value, key[index]?.type ?? "text"));
  const beyond = places && `(${columns}) ${descending ? "<" : ">"} (${places.join(", ")})`;
  const narrowed =
    beyond === undefined ? where : `${where === "" ? " where" : `${where} and`} ${beyond}`;
  const order = key.map(({ sql }) => (descending ? `${sql} desc` : sql)).join(", ");
  const text = `select ${selected} from ${source.from}${narrowed} order by ${order} limit ${count}`;
  const rows = await queryInTurn(request, source, text, parameters.values);
  return rows.map((row) => toPositionedRow(listing, row));
}

function toPositionedRow({ source, fields }: RowListing, row: SqlRow): PositionedRow {
  const values = Object.fromEntries(
    fields.map(({ name, show }, index) => [name, show(row[`f${index}`])]),
  );
  return { row: values, place: source.key.map((_, index) => row[`k${index}`]) };
}

/** Counts the rows. */
export async function countRows(request: ReportRequest, listing: RowListing): Promise<number> {
  const { source, where, conditions } = listing;
  const text = `select count(*) as "n" from ${source.from}${where}`;
  const [row] = await queryInTurn(request, source, text, conditions);
  return Number(row?.["n"]);
}
