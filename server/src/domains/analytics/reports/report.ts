/** Schemas and failures of reports. */
import Type, { type Static } from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";

export const REPORTS_MAX = 2_000;
export const ROWS_MAX = 10_000;
const ROWS_DEFAULT = 1_000;
const GROUPS_MAX = 5;
const AGGREGATES_MAX = 20;

export const ReportId = id("rpt");

export type Source = Readonly<Record<string, unknown>> & { readonly kind: string };
export const Source = Type.Unsafe<Source>(
  Type.Object(
    { kind: line(40, "`records`, `runs`, `deliveries`, `events`, `query` …") },
    {
      additionalProperties: true,
      description:
        "What it is about, such as `{ kind: records, table: orders }`, `{ kind: events }` or " +
        "`{ kind: query, queryId, params }`; `GET /api/v1/analytics/sources` lists the kinds",
    },
  ),
);

/** A field of the source; further words lead into JSON. */
export const FieldPath = line(
  200,
  "A field of the source; into JSON with dots, as `data.severity`",
);
const ColumnName = Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]{0,62}$" });

export const FUNCTIONS = ["count", "sum", "avg", "min", "max", "percentile", "distinct"] as const;

export const Aggregate = object(
  {
    fn: Type.Enum([...FUNCTIONS]),
    field: Type.Optional(FieldPath),
    p: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: "Of `percentile`: 0.5 is the median" }),
    ),
    as: Type.Optional(ColumnName),
  },
  { title: "ReportAggregate" },
);
export type Aggregate = Static<typeof Aggregate>;

export const TimeBucket = object(
  {
    field: FieldPath,
    unit: Type.Enum(["hour", "day", "week", "month", "quarter", "year"]),
    timezone: Type.Optional(line(100, "Such as `Europe/Berlin`; UTC when absent")),
    fill: Type.Optional(
      Type.Boolean({
        description: "Whether buckets without rows are there too, between the others",
      }),
    ),
  },
  { title: "ReportTimeBucket" },
);
export type TimeBucket = Static<typeof TimeBucket>;

export const Chart = Type.Object(
  {
    type: Type.Enum(["table", "bar", "line", "area", "pie", "stat"]),
    x: Type.Optional(line(100, "A column of the answer")),
    y: Type.Optional(Type.Array(line(100), { maxItems: AGGREGATES_MAX })),
    series: Type.Optional(line(100)),
  },
  {
    additionalProperties: true,
    description: "How to draw it; further fields are kept as they are",
  },
);

/** The fields of a report beside its name and description. */
const parts = {
  source: Source,
  filter: ConditionSchema,
  groupBy: Type.Array(FieldPath, { maxItems: GROUPS_MAX }),
  timeBucket: TimeBucket,
  aggregates: Type.Array(Aggregate, { minItems: 1, maxItems: AGGREGATES_MAX }),
  having: ConditionSchema,
  sort: line(300, "Columns of the answer, each with a `-` in front to descend: `-total,region`"),
  limit: Type.Integer({ minimum: 1, maximum: ROWS_MAX, default: ROWS_DEFAULT }),
  chart: Chart,
};
const names = { name: line(200), description: text(2_000) };

const optional = {
  filter: Type.Optional(parts.filter),
  groupBy: Type.Optional(parts.groupBy),
  timeBucket: Type.Optional(parts.timeBucket),
  aggregates: Type.Optional(parts.aggregates),
  having: Type.Optional(parts.having),
  sort: Type.Optional(parts.sort),
  limit: Type.Optional(parts.limit),
  chart: Type.Optional(parts.chart),
};

/** A report that is not saved: what is counted, and how. */
export const ReportInput = object({ source: parts.source, ...optional }, { title: "ReportDraft" });
export type ReportInput = Static<typeof ReportInput>;

export const NewReport = object(
  {
    name: names.name,
    description: Type.Optional(names.description),
    source: parts.source,
    ...optional,
  },
  { title: "NewReport" },
);

/** Null removes a part. */
export const ReportChange = Type.Object(
  {
    name: Type.Optional(names.name),
    description: Type.Optional(names.description),
    source: Type.Optional(parts.source),
    filter: Type.Optional(nullable(parts.filter)),
    groupBy: Type.Optional(parts.groupBy),
    timeBucket: Type.Optional(nullable(parts.timeBucket)),
    aggregates: Type.Optional(parts.aggregates),
    having: Type.Optional(nullable(parts.having)),
    sort: Type.Optional(nullable(parts.sort)),
    limit: Type.Optional(parts.limit),
    chart: Type.Optional(nullable(parts.chart)),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type ReportChange = Static<typeof ReportChange>;

/** A complete report; null where a part is left out. */
export interface Definition {
  readonly source: Source;
  readonly filter: Readonly<Record<string, unknown>> | null;
  readonly groupBy: readonly string[];
  readonly timeBucket: TimeBucket | null;
  readonly aggregates: readonly Aggregate[];
  readonly having: Readonly<Record<string, unknown>> | null;
  readonly sort: string | null;
  readonly limit: number;
  readonly chart: Static<typeof Chart> | null;
}

export function toDefinition(draft: ReportInput): Definition {
  const { source, filter, groupBy = [], timeBucket, aggregates = [{ fn: "count" }] } = draft;
  return {
    source,
    filter: filter ?? null,
    groupBy,
    timeBucket: timeBucket ? { ...timeBucket, timezone: timeBucket.timezone ?? "UTC" } : null,
    aggregates,
    having: draft.having ?? null,
    sort: draft.sort ?? null,
    limit: draft.limit ?? ROWS_DEFAULT,
    chart: draft.chart ?? null,
  };
}

export const Report = Type.Object(
  {
    id: ReportId,
    ...names,
    source: parts.source,
    filter: nullable(parts.filter),
    groupBy: parts.groupBy,
    timeBucket: nullable(parts.timeBucket),
    aggregates: parts.aggregates,
    having: nullable(parts.having),
    sort: nullable(parts.sort),
    limit: Type.Integer(),
    chart: nullable(parts.chart),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Report" },
);
export type Report = Static<typeof Report> & { readonly revision: number };

/** The result of a report. */
export const ReportResult = Type.Object(
  {
    columns: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.Enum(["text", "number", "boolean", "time", "date", "json", "texts"]),
        role: Type.Enum(["bucket", "group", "value"]),
      }),
    ),
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description:
        "By the names of the columns. The column `bucket` has the beginning of each bucket; numbers " +
        "that JSON can't keep exactly are texts",
    }),
    rowCount: Type.Integer(),
    truncated: Type.Boolean({ description: "Whether there are more rows than `limit`" }),
    durationMs: Type.Integer(),
  },
  { title: "ReportResult" },
);
export type ReportResult = Static<typeof ReportResult>;

export const ReportNameTaken = failure(
  "report_name_taken",
  409,
  "Another report has this name.",
  "reports_name",
);
export const TooManyReports = failure(
  "too_many_reports",
  409,
  "The environment has as many reports as it may.",
);
export const ReportBroken = failure(
  "report_broken",
  409,
  "What the report is about is no longer what it was when it was saved.",
);
export const ReportTimedOut = failure("report_timed_out", 422, "It took longer than it may.");
export const ReportInUse = failure("report_in_use", 409, "A dashboard or a KPI shows this report.");
