/** Where the data of an app comes from. */
import Type, { type Static, type TProperties } from "typebox";
import { id, line } from "#kernel/schema/schema.ts";
import { Bound, BoundJson, SourceName, TableSlug } from "./action.ts";

const ROWS_MAX = 200;

export const SOURCE_KINDS = ["table", "query", "connector", "workflow", "artifact"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** The configuration of each kind. What names a thing is no binding: a deployment checks that it is there. */
export const SOURCES: Readonly<Record<SourceKind, TProperties>> = {
  table: {
    table: TableSlug,
    filter: Type.Optional(
      Type.Record(Type.String(), BoundJson, {
        description: "A condition; its values may be bindings",
      }),
    ),
    sort: Type.Optional(Bound),
    fields: Type.Optional(Type.Array(line(63), { maxItems: 200 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_MAX })),
  },
  query: { queryId: id("qry"), params: Type.Optional(BoundJson) },
  connector: { connectorId: id("con"), action: line(300), input: Type.Optional(BoundJson) },
  workflow: { workflowId: id("wf"), input: Type.Optional(BoundJson) },
  artifact: { artifactId: id("art"), input: Type.Optional(BoundJson) },
};

/** What people write of a data source. */
export const sourceFields = {
  name: SourceName,
  kind: Type.Enum([...SOURCE_KINDS]),
  config: Type.Record(Type.String(), Type.Unknown(), {
    description: "As the kind has it, see GET /api/v1/apps/schema; values may be bindings",
  }),
};

export const DataSourceId = id("dsr");
export const DataSource = Type.Object(
  { id: DataSourceId, ...sourceFields },
  { title: "AppDataSource" },
);
export type DataSource = Static<typeof DataSource>;
