/** Schemas and failures of reports. */
import Type, { type Static } from "typebox";
import { ConditionSchema } from "#kernel/condition/condition.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { FieldPath } from "./definition/field-path.ts";
import { Funnel } from "./definition/funnel.ts";
import { Compare, Period, ResolvedPeriod } from "./definition/period.ts";

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
        "The source, such as `{ kind: records, table: orders }`, `{ kind: events }` or `{ kind: query, queryId, params }`. `GET /api/v1/analytics/sources` lists the kinds",
    },
  ),
);

export { FieldPath };
const ColumnName = Type.String({ pattern: "^[A-Za-z_][A-Za-z0-9_]{0,62}$" });

const PLAIN_FUNCTIONS = ["count", "sum", "avg", "min", "max", "percentile", "distinct"] as const;
export const FUNCTIONS = [...PLAIN_FUNCTIONS, "ratio"] as const;

const operands = {
  field: Type.Optional(FieldPath),
  p: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "For `percentile`: 0.5 is the median" }),
  ),
  filter: Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>({
      ...ConditionSchema,
      description: "Counts only rows that match this condition",
    }),
  ),
};

const RatioPart = object({ fn: Type.Enum([...PLAIN_FUNCTIONS]), ...operands });
export type RatioPart = Static<typeof RatioPart>;

export const Aggregate = object(
  {
    fn: Type.Enum([...FUNCTIONS], {
      description:
        "`ratio` divides `of` by `over`. Without them, it is the share of rows that match `filter`",
    }),
    ...operands,
    of: Type.Optional(RatioPart),
    over: Type.Optional(RatioPart),
    as: Type.Optional(ColumnName),
  },
  { title: "ReportAggregate" },
);
export type Aggregate = Static<typeof Aggregate>;

export const TimeBucket = object(
  {
    field: FieldPath,
    unit: Type.Enum(["hour", "day", "week", "month", "quarter", "year"]),
    timezone: Type.Optional(line(100, "Such as `Europe/Berlin`. Default: UTC")),
    fill: Type.Optional(
      Type.Boolean({
        description: "Whether to include empty buckets",
      }),
    ),
  },
  { title: "ReportTimeBucket" },
);
export type TimeBucket = Static<typeof TimeBucket>;

const PARTS = ["hour", "weekday", "day", "month"] as const;
const TIME_PARTS_MAX = 2;

export const TimePart = object(
  {
    field: FieldPath,
    part: Type.Enum([...PARTS], {
      description: "A part of the local date and time. `weekday` is 1 on Mondays, 7 on Sundays",
    }),
    timezone: Type.Optional(line(100, "Such as `Europe/Berlin`. Default: UTC")),
  },
  { title: "ReportTimePart" },
);
export type TimePart = Static<typeof TimePart>;

export const Chart = Type.Object(
  {
    type: Type.Enum([
      "table",
      "bar",
      "stacked",
      "line",
      "area",
      "pie",
      "stat",
      "pivot",
      "funnel",
      "heat",
    ]),
    x: Type.Optional(line(100, "A column of the result")),
    y: Type.Optional(Type.Array(line(100), { maxItems: AGGREGATES_MAX })),
    series: Type.Optional(line(100)),
    target: Type.Optional(Type.Number({ description: "For a single number" })),
    better: Type.Optional(
      Type.Enum(["up", "down"], { description: "The desired side of the target" }),
    ),
    format: Type.Optional(Type.Enum(["number", "percent", "duration"])),
    unit: Type.Optional(line(40, "Shown after the number")),
  },
  {
    additionalProperties: true,
    description: "Chart settings. Additional fields are stored unchanged",
  },
);

/** The fields of a report, besides name and description. */
const parts = {
  source: Source,
  filter: ConditionSchema,
  groupBy: Type.Array(FieldPath, { maxItems: GROUPS_MAX }),
  timeBucket: TimeBucket,
  timeParts: Type.Array(TimePart, {
    maxItems: TIME_PARTS_MAX,
    description: "Additional groups by hour of day or day of week",
  }),
  period: Period,
  compare: Compare,
  pivot: Type.Array(line(200), {
    maxItems: GROUPS_MAX,
    description: "The groups that become columns; other groups become rows",
  }),
  totals: Type.Boolean({
    description:
      "Whether to include totals. Totals are calculated from the rows, not from the result",
  }),
  funnel: Funnel,
  timezone: line(
    100,
    "Time zone of relative times and buckets. Default: the time zone of the workspace",
  ),
  aggregates: Type.Array(Aggregate, { minItems: 1, maxItems: AGGREGATES_MAX }),
  having: ConditionSchema,
  sort: line(
    300,
    "Columns of the result. A `-` before a column sorts in descending order: `-total,region`",
  ),
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
  timeParts: Type.Optional(parts.timeParts),
  period: Type.Optional(parts.period),
  compare: Type.Optional(parts.compare),
  pivot: Type.Optional(parts.pivot),
  totals: Type.Optional(parts.totals),
  funnel: Type.Optional(parts.funnel),
  timezone: Type.Optional(parts.timezone),
};

/** An unsaved report: its source and its calculation. */
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
    timeParts: Type.Optional(parts.timeParts),
    period: Type.Optional(nullable(parts.period)),
    compare: Type.Optional(nullable(parts.compare)),
    pivot: Type.Optional(parts.pivot),
    totals: Type.Optional(parts.totals),
    funnel: Type.Optional(nullable(parts.funnel)),
    timezone: Type.Optional(nullable(parts.timezone)),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type ReportChange = Static<typeof ReportChange>;

/** A complete report; omitted parts are null or absent. */
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
  readonly timeParts?: readonly TimePart[];
  readonly period?: Period;
  readonly compare?: Static<typeof Compare>;
  readonly pivot?: readonly string[];
  readonly totals?: boolean;
  readonly funnel?: Funnel;
  readonly timezone?: string;
}

export function toDefinition(draft: ReportInput): Definition {
  const { source, filter, groupBy = [], timeBucket, aggregates = [{ fn: "count" }] } = draft;
  const { timeParts, period, compare, pivot, totals, funnel, timezone } = draft;
  const zone = timezone ?? "UTC";
  return {
    source,
    filter: filter ?? null,
    groupBy,
    timeBucket: timeBucket ? { ...timeBucket, timezone: timeBucket.timezone ?? zone } : null,
    aggregates,
    having: draft.having ?? null,
    sort: draft.sort ?? null,
    limit: draft.limit ?? ROWS_DEFAULT,
    chart: draft.chart ?? null,
    ...(timeParts && {
      timeParts: timeParts.map((part) => ({ ...part, timezone: part.timezone ?? zone })),
    }),
    ...(period && { period }),
    ...(compare && { compare }),
    ...(pivot && { pivot }),
    ...(totals !== undefined && { totals }),
    ...(funnel && { funnel }),
    ...(timezone !== undefined && { timezone }),
  };
}

/** A definition as in a request, without omitted parts. */
export function toInput(definition: Definition): ReportInput {
  const entries = Object.entries(definition).filter(([, value]) => value !== null);
  // Only parts that may be left out are null.
  return Object.fromEntries(entries) as unknown as ReportInput;
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
    timeParts: optional.timeParts,
    period: optional.period,
    compare: optional.compare,
    pivot: optional.pivot,
    totals: optional.totals,
    funnel: optional.funnel,
    timezone: optional.timezone,
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "Report" },
);
export type Report = Static<typeof Report> & { readonly revision: number };

const ResultRow = Type.Record(Type.String(), Type.Unknown());

/** The result of a report. */
export const ReportResult = Type.Object(
  {
    columns: Type.Array(
      Type.Object({
        name: Type.String(),
        title: Type.Optional(
          Type.String({
            description: "The field and the value of a group that became a column",
          }),
        ),
        type: Type.Enum(["text", "number", "boolean", "time", "date", "json", "texts"]),
        role: Type.Enum(["bucket", "group", "value", "before"], {
          description: "`before`: a value of the comparison period",
        }),
        of: Type.Optional(
          Type.String({ description: "For `before`: the column of the current value" }),
        ),
      }),
    ),
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description:
        "Values by column name. The column `bucket` contains the start of each bucket. Numbers that JSON can't represent exactly are strings",
    }),
    rowCount: Type.Integer(),
    truncated: Type.Boolean({ description: "Whether there are more rows than `limit`" }),
    totals: Type.Optional(
      Type.Object(
        {
          down: Type.Array(ResultRow, { description: "One total per row of a pivot" }),
          across: Type.Array(ResultRow, { description: "One total per column of a pivot" }),
          all: ResultRow,
        },
        { description: "Calculated from all rows, so an average is not the average of averages" },
      ),
    ),
    notFiltered: Type.Optional(
      Type.Array(Type.String(), {
        description: "Parts of the filter bar that do not apply to the source",
      }),
    ),
    period: Type.Optional(ResolvedPeriod),
    before: Type.Optional(
      Type.Object({ ...ResolvedPeriod.properties }, { description: "The comparison period" }),
    ),
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
  "The environment has reached its limit of reports.",
);
export const ReportBroken = failure(
  "report_broken",
  409,
  "The source of the report has changed since the report was saved.",
);
export const ReportTimedOut = failure(
  "report_timed_out",
  422,
  "The report exceeded its time limit.",
);
export const ReportInUse = failure(
  "report_in_use",
  409,
  "A dashboard, a KPI or a report schedule uses this report.",
);
