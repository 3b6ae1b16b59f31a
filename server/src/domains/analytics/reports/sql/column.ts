/** The columns of a report: its groups and its values, each an expression with a name. */
import { invalidField } from "#kernel/operation/failure.ts";
import type { OpenReportSource, ReportField } from "#kernel/contributions/report-source.ts";
import { fieldAt, valueConverter, type SqlContext } from "./field.ts";
import { changesByPartOfHour, hourSql } from "./hour.ts";
import type { Definition, TimeBucket, TimePart } from "../report.ts";
import type { Column } from "./report-column.ts";
import { valueColumn } from "./value-column.ts";

/** The name of the column that holds the beginnings of buckets. */
export const BUCKET = "bucket";

/** All columns of a report: the bucket, the groups, the values. */
export function compileColumns(
  { fields }: Pick<OpenReportSource, "fields">,
  definition: Pick<Definition, "groupBy" | "timeBucket" | "timeParts" | "aggregates">,
  ctx: SqlContext,
): readonly Column[] {
  const { groupBy, timeBucket, timeParts = [], aggregates } = definition;
  const columns = [
    ...(timeBucket ? [bucketColumn(fields, timeBucket, ctx)] : []),
    ...timeParts.map((part, index) => partColumn(fields, part, ctx, `/timeParts/${index}`)),
    ...groupBy.map((path, index) =>
      groupColumn(path, fieldAt(fields, path, { ...ctx, at: `/groupBy/${index}` })),
    ),
    ...aggregates.map((aggregate, index) =>
      valueColumn(fields, aggregate, { ...ctx, at: `/aggregates/${index}` }),
    ),
  ];
  const firstValue = columns.length - aggregates.length;
  for (const [index, { name }] of columns.entries()) {
    if (columns.findIndex((column) => column.name === name) === index) continue;
    const at = index < firstValue ? "/groupBy" : `/aggregates/${index - firstValue}/as`;
    throw invalidField(at, `${name} is already the name of another column of the result`);
  }
  return columns;
}

function groupColumn(name: string, field: ReportField): Column {
  return {
    name,
    title: field.title,
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
  ctx: SqlContext,
): Column {
  return {
    name: BUCKET,
    role: "bucket",
    kind: "time",
    sql: bucketSql(fields, { path, unit, timezone }, ctx),
    show: (stored) => stored,
    empty: null,
  };
}

/** Units that are equally long in UTC, each with its length. */
const STRIDES: ReadonlyMap<string, string> = new Map([
  ["minute", "1 minute"],
  ["hour", "1 hour"],
  ["day", "1 day"],
  ["week", "7 days"],
]);
/** The first moment that PostgreSQL knows is a Monday. */
const FIRST_MOMENT = "timestamptz '4714-11-24 00:00:00+00 BC'";

/** The unit is one of a fixed list. In UTC a division is used, at a fifth of the cost of calendar functions. */
function bucketSql(
  fields: ReadonlyMap<string, ReportField>,
  { path, unit, timezone }: { path: string; unit: string; timezone: string },
  ctx: SqlContext,
): string {
  const stride = timezone === "UTC" ? STRIDES.get(unit) : undefined;
  const plain = stride === undefined ? undefined : fields.get(path);
  if (plain?.kind === "time") return `date_bin('${stride}', ${plain.sql}, ${FIRST_MOMENT})`;
  const moment = momentSql(fields, { path, timezone }, ctx, "/timeBucket");
  if (unit === "hour" && changesByPartOfHour(timezone)) return hourSql(moment.sql, moment.zone);
  return `date_trunc('${unit}', ${moment.sql}, ${moment.zone})`;
}

/** The PostgreSQL names of time and calendar parts. */
const PARTS = { hour: "hour", weekday: "isodow", day: "day", month: "month" } as const;

function partColumn(
  fields: ReadonlyMap<string, ReportField>,
  { field: path, part, timezone = "UTC" }: TimePart,
  ctx: SqlContext,
  at: string,
): Column {
  const moment = momentSql(fields, { path, timezone }, ctx, at);
  return {
    name: part,
    role: "group",
    kind: "number",
    sql: `extract(${PARTS[part]} from ${moment.sql} at time zone ${moment.zone})::int`,
    show: (stored) => stored,
    empty: null,
  };
}

function momentSql(
  fields: ReadonlyMap<string, ReportField>,
  { path, timezone }: { readonly path: string; readonly timezone: string },
  ctx: SqlContext,
  at: string,
): { readonly sql: string; readonly zone: string } {
  if (!isTimezone(timezone)) {
    throw invalidField(`${at}/timezone`, "is not a known time zone");
  }
  const { kind, sql } = fieldAt(fields, path, { ...ctx, at: `${at}/field` });
  if (kind !== "time" && kind !== "date") {
    throw invalidField(`${at}/field`, `${path} is not a time field`);
  }
  const zone = ctx.parameters.add(timezone, "text");
  // A day starts at midnight in the zone.
  return { sql: kind === "time" ? sql : `((${sql})::timestamp at time zone ${zone})`, zone };
}

/** Returns whether a text names a time zone; an offset does not follow the clock changes of a place. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
