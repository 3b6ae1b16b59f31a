/** The columns of a report: its groups and its values, each an expression with a name. */
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import type { OpenReportSource, ReportField } from "#kernel/contributions/report-source.ts";
import { toNumber, fieldAt, valueConverter } from "./field.ts";
import type { Aggregate, Definition, TimeBucket } from "./report.ts";

export interface Column {
  readonly name: string;
  readonly role: "bucket" | "group" | "value";
  readonly kind: ConditionFieldKind;
  readonly sql: string;
  readonly show: (stored: unknown) => unknown;
  /** Its value in a bucket without rows. */
  readonly empty: unknown;
}

/** The name of the column that holds the beginnings of buckets. */
export const BUCKET = "bucket";

/** All columns of a report: the bucket, the groups, the values. */
export function compileColumns(
  { fields }: Pick<OpenReportSource, "fields">,
  { groupBy, timeBucket, aggregates }: Pick<Definition, "groupBy" | "timeBucket" | "aggregates">,
  parameters: SqlParameters,
): readonly Column[] {
  const columns = [
    ...(timeBucket ? [bucketColumn(fields, timeBucket, parameters)] : []),
    ...groupBy.map((path, index) =>
      groupColumn(path, fieldAt(fields, path, { at: `/groupBy/${index}`, parameters })),
    ),
    ...aggregates.map((aggregate, index) =>
      valueColumn(fields, aggregate, { at: `/aggregates/${index}`, parameters }),
    ),
  ];
  const firstValue = columns.length - aggregates.length;
  for (const [index, { name }] of columns.entries()) {
    if (columns.findIndex((column) => column.name === name) === index) continue;
    const at = index < firstValue ? "/groupBy" : `/aggregates/${index - firstValue}/as`;
    throw invalidField(at, `${name} is the name of another column of the answer`);
  }
  return columns;
}

function groupColumn(name: string, field: ReportField): Column {
  return {
    name,
    role: "group",
    kind: field.kind,
    sql: field.sql,
    show: valueConverter(field),
    empty: null,
  };
}

function bucketColumn(
  fields: ReadonlyMap<string, ReportField>,
  { field: path, unit, timezone = "UTC" }: TimeBucket,
  parameters: SqlParameters,
): Column {
  if (!isTimezone(timezone)) {
    throw invalidField("/timeBucket/timezone", "is not a time zone that we know");
  }
  const { kind, sql } = fieldAt(fields, path, { at: "/timeBucket/field", parameters });
  if (kind !== "time" && kind !== "date") {
    throw invalidField("/timeBucket/field", `${path} holds no times`);
  }
  const zone = parameters.add(timezone, "text");
  // A day begins at its midnight there.
  const moment = kind === "time" ? sql : `(${sql})::timestamp at time zone ${zone}`;
  return {
    name: BUCKET,
    role: "bucket",
    kind: "time",
    // The unit is one of a few words of ours.
    sql: `date_trunc('${unit}', ${moment}, ${zone})`,
    show: (stored) => stored,
    empty: null,
  };
}

interface ColumnContext {
  readonly at: string;
  readonly parameters: SqlParameters;
}

function valueColumn(
  fields: ReadonlyMap<string, ReportField>,
  aggregate: Aggregate,
  { at, parameters }: ColumnContext,
): Column {
  const { fn, field: path, p, as } = aggregate;
  if (p !== undefined && fn !== "percentile")
    throw invalidField(`${at}/p`, `does not go with ${fn}`);
  if (path === undefined && fn !== "count")
    throw invalidField(`${at}/field`, `is required by ${fn}`);
  const field =
    path === undefined ? undefined : fieldAt(fields, path, { at: `${at}/field`, parameters });
  const name = as ?? (path === undefined ? fn : `${fn}_${path.replaceAll(/\W/g, "_")}`);
  return { name, role: "value", ...VALUES[fn](field, { aggregate, at, parameters }) };
}

type Value = Pick<Column, "kind" | "sql" | "show" | "empty">;
type Writer = (
  field: ReportField | undefined,
  ctx: ColumnContext & { aggregate: Aggregate },
) => Value;

const VALUES: Readonly<Record<Aggregate["fn"], Writer>> = {
  count: (field) => count(field?.sql ?? "*"),
  distinct: (field) => count(`distinct ${field?.sql}`),
  sum: (field, ctx) => number(`sum(${numeric(field, ctx)})`, 0),
  // The mean of many numbers has more digits than anybody wants.
  avg: (field, ctx) => number(`avg(${numeric(field, ctx)})::float8`, null),
  percentile(field, ctx) {
    const { aggregate, at, parameters } = ctx;
    if (aggregate.p === undefined) throw invalidField(`${at}/p`, "is required by percentile");
    const operand = numeric(field, ctx);
    const p = parameters.add(aggregate.p, "float8");
    return number(`percentile_cont(${p}) within group (order by (${operand})::float8)`, null);
  },
  min: (field, ctx) => extreme("min", field, ctx),
  max: (field, ctx) => extreme("max", field, ctx),
};

function count(what: string): Value {
  return number(`count(${what})`, 0);
}

function number(sql: string, empty: number | null): Value {
  return {
    kind: "number",
    sql,
    show: valueConverter({ sql, kind: "number", toJson: toNumber }),
    empty,
  };
}

const ORDERED: ReadonlySet<ConditionFieldKind> = new Set(["text", "time", "date"]);

function extreme(fn: "min" | "max", field: ReportField | undefined, ctx: ColumnContext): Value {
  if (!field || !ORDERED.has(field.kind)) return number(`${fn}(${numeric(field, ctx)})`, null);
  return { kind: field.kind, sql: `${fn}(${field.sql})`, show: valueConverter(field), empty: null };
}

/** A field as a number; of JSON those values that are one. */
function numeric(field: ReportField | undefined, { at }: ColumnContext): string {
  if (field?.kind === "number") return field.sql;
  if (field?.kind === "json") {
    return `case when jsonb_typeof(${field.sql}) = 'number' then (${field.sql})::numeric end`;
  }
  throw invalidField(`${at}/field`, "must hold numbers");
}

/** True for the name of a time zone, and not merely an offset, which would follow no place's clocks. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
