/** Data sources of apps. */
import Type, { type Static, type TProperties } from "typebox";
import { id, line } from "#kernel/schema/schema.ts";
import { ReportAggregate, ReportTimeBucket } from "#domains/analytics/index.ts";
import {
  BindableJson,
  BindableText,
  ConnectorAction,
  reference,
  SourceName,
  TableSlug,
  TICKET_KINDS,
} from "./action.ts";

const ROWS_MAX = 200;
const GROUPS_MAX = 1_000;

export const SOURCE_KINDS = [
  "table",
  "aggregate",
  "query",
  "connector",
  "workflow",
  "artifact",
  "report",
  "tickets",
  "members",
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

const Filter = Type.Optional(
  Type.Record(Type.String(), BindableJson, {
    description: "A condition. Its values can be bindings",
  }),
);

/** The configuration of each kind. A reference must not be an expression, so that a deployment can check it. */
export const SOURCES: Readonly<Record<SourceKind, TProperties>> = {
  table: {
    table: TableSlug,
    filter: Filter,
    sort: Type.Optional(BindableText),
    fields: Type.Optional(Type.Array(line(63), { maxItems: 200 })),
    expand: Type.Optional(
      Type.Array(line(63), {
        maxItems: 10,
        description: "References to expand: `customer` adds `customer.name`",
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_MAX })),
  },
  aggregate: {
    table: TableSlug,
    filter: Filter,
    groupBy: Type.Optional(Type.Array(line(200), { maxItems: 3 })),
    timeBucket: Type.Optional(ReportTimeBucket),
    aggregates: Type.Optional(
      Type.Array(ReportAggregate, {
        minItems: 1,
        maxItems: 20,
        description: "Aggregate of all records. Default: the count",
      }),
    ),
    sort: Type.Optional(BindableText),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: GROUPS_MAX })),
  },
  query: { queryId: reference("qry", "query"), params: Type.Optional(BindableJson) },
  connector: {
    connectorId: reference("con", "connector"),
    action: ConnectorAction,
    input: Type.Optional(BindableJson),
  },
  workflow: { workflowId: reference("wf", "workflow"), input: Type.Optional(BindableJson) },
  artifact: { artifactId: reference("art", "artifact"), input: Type.Optional(BindableJson) },
  report: { reportId: reference("rpt", "report") },
  tickets: {
    kind: Type.Optional(
      Type.Enum([...TICKET_KINDS, "any"], {
        description:
          "Default: `incident`. Tickets of all kinds require permission to work on tickets",
      }),
    ),
    filter: Filter,
    sort: Type.Optional(BindableText),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_MAX })),
  },
  members: {},
};

/** The writable fields of a data source. */
export const sourceFields = {
  name: SourceName,
  kind: Type.Enum([...SOURCE_KINDS]),
  config: Type.Record(Type.String(), Type.Unknown(), {
    description: "According to the kind, see GET /api/v1/apps/schema. Values can be bindings",
  }),
};

export const DataSourceId = id("dsr");
export const DataSource = Type.Object(
  { id: DataSourceId, ...sourceFields },
  { title: "AppDataSource" },
);
export type DataSource = Static<typeof DataSource>;
