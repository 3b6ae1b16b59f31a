import Type from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { query } from "#kernel/operation/operation.ts";
import { item, largeItem } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { partitionOfCaller } from "#kernel/access/caller.ts";
import { SqlViewPoint } from "#kernel/contributions/sql-view.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import { RecordsRead } from "#domains/records/index.ts";
import { QueriesRun } from "../permissions.ts";
import { QueryResult, ROW_MODES } from "./query-result.ts";
import { QueryFailed, QueryRefused, QueryTimedOut } from "./query-failure.ts";
import { PARAMETERS_MAX, resolveParameters } from "../parameter.ts";
import { listTables } from "#domains/tables/index.ts";
import { explainQuery } from "./explain-query.ts";
import { QueryPlan } from "./query-plan.ts";
import { QuerySchema, toQuerySchema } from "./query-schema.ts";
import {
  ROWS_DEFAULT,
  ROWS_MAX,
  runQuery,
  TIME_LIMIT_DEFAULT_MS,
  TIME_LIMIT_MAX_MS,
} from "./run-query.ts";
import { QueryId, Sql } from "../saved-query.ts";
import * as store from "../store.ts";

/** The limits and the form of a result. */
const runOptions = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ROWS_MAX, default: ROWS_DEFAULT })),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: TIME_LIMIT_MAX_MS, default: TIME_LIMIT_DEFAULT_MS }),
  ),
  rowMode: Type.Optional(
    Type.Enum([...ROW_MODES], {
      default: "object",
      description: "Format of a row: an object or a list",
    }),
  ),
};

const ParameterList = Type.Array(Type.Unknown(), {
  maxItems: PARAMETERS_MAX,
  description: "The values of `$1`, `$2` …. A list is a PostgreSQL array, any other object is JSON",
});

const RESULT_DESCRIPTION =
  "Values are numbers (strings if JSON can't represent them exactly), booleans, strings, JSON and lists. Times are in UTC. The result ends after `limit` rows, 200,000 cells or 4 MiB; then `truncated` is true. The statement is cancelled when the client disconnects.";
const SqlViewSchema = Type.Object(
  {
    name: Type.String(),
    summary: Type.String(),
    columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  },
  { title: "SqlView" },
);

export const listSqlViews = query({
  id: "queries.views",
  route: "GET /api/v1/queries/views",
  summary: "List the platform views that SQL can use",
  description:
    "Tickets, SLA clocks, configuration items, runs and events, each with its required permission.",
  permission: QueriesRun,
  response: item(Type.Object({ views: Type.Array(SqlViewSchema) }, { title: "SqlViews" })),
  run: async (ctx) => ({ views: readableViews(ctx) }),
});

function readableViews({ services, caller }: Pick<ReadContext, "services" | "caller">) {
  return contributionsTo(SqlViewPoint, services.contributions)
    .filter(({ permission }) => caller.permissions.has(permission.name))
    .map(({ name, summary, columns }) => ({ name, summary, columns: [...columns] }));
}

const fails = [QueryRefused, QueryFailed, QueryTimedOut];

export const runSql = query({
  id: "queries.run",
  route: "POST /api/v1/queries/run",
  summary: "Run an SQL statement",
  description: `Runs one \`select\` (also \`with\`, \`values\`) on the tables of this workspace and environment, by slug, and on the views from \`queries.views\`. It returns only rows and fields that you can view. Tables require \`records:read\`. Only functions that calculate a value from their arguments are allowed. Column names are the field names and \`id\`, \`created_at\`, \`updated_at\` and \`created_by\`. ${RESULT_DESCRIPTION}`,
  permission: QueriesRun,
  longRunning: true,
  body: object({ sql: Sql, params: Type.Optional(ParameterList), ...runOptions }),
  response: largeItem(QueryResult),
  fails,
  example: {
    body: {
      sql: "select status, count(*) from orders where created_at > $1 group by status",
      params: ["2026-01-01"],
    },
  },
  prepare: (platform, { body }, caller) => runQuery(platform, caller, body),
  run: async (_, __, answer) => answer,
});

export const explainSql = query({
  id: "queries.explain",
  route: "POST /api/v1/queries/explain",
  summary: "Explain the execution plan of an SQL statement",
  description:
    "Returns the nodes of PostgreSQL's `explain`. With `run`, the statement is also run, and each node contains its rows and time. If access rules may filter rows, only the structure of the plan is returned.",
  permission: QueriesRun,
  longRunning: true,
  body: object({
    sql: Sql,
    params: Type.Optional(ParameterList),
    limit: runOptions.limit,
    timeoutMs: runOptions.timeoutMs,
    run: Type.Optional(Type.Boolean({ default: false })),
  }),
  response: item(QueryPlan),
  fails,
  example: { body: { sql: "select status, count(*) from orders group by status", run: true } },
  prepare: (platform, { body: { run: isRun = false, ...body } }, caller) =>
    explainQuery(platform, caller, { ...body, isRun }),
  run: async (_, __, plan) => plan,
});

export const describeSchema = query({
  id: "queries.schema",
  route: "GET /api/v1/queries/schema",
  summary: "List tables, views, columns and functions for SQL",
  permission: QueriesRun,
  response: item(QuerySchema),
  example: {},
  async run(ctx) {
    const tables = holdsPermission(ctx.caller.permissions, RecordsRead)
      ? await listTables(ctx.tx)
      : [];
    return toQuerySchema(tables, readableViews(ctx), ctx.caller.principal);
  },
});

export const runSavedQuery = query({
  id: "queries.run_saved",
  route: "POST /api/v1/queries/{id}/run",
  summary: "Run a saved query",
  description: `Runs in the environment of the request, with your permissions. ${RESULT_DESCRIPTION}`,
  permission: QueriesRun,
  longRunning: true,
  params: object({ id: QueryId }),
  body: object({
    params: Type.Optional(
      Type.Union([ParameterList, Type.Record(Type.String(), Type.Unknown())], {
        description: "Parameter values, in order or by name",
      }),
    ),
    ...runOptions,
  }),
  bodyOptional: true,
  response: largeItem(QueryResult),
  fails,
  example: {
    params: { id: "qry_01jd0000000000000000000000" },
    body: { params: { since: "2026-01-01" }, limit: 100 },
  },
  async prepare(platform, { params: { id }, body: { params: input = [], ...options } }, caller) {
    const { sql, parameters } = await platform.db.read(partitionOfCaller(caller), (tx) =>
      store.get(tx, id),
    );
    return runQuery(platform, caller, {
      ...options,
      sql,
      params: resolveParameters(parameters, input),
    });
  },
  run: async (_, __, answer) => answer,
});
