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
      description: "What a row is: an object, or a list",
    }),
  ),
};

const ParameterList = Type.Array(Type.Unknown(), {
  maxItems: PARAMETERS_MAX,
  description: "The values of `$1`, `$2` …; a list is a PostgreSQL array, any other object JSON",
});

const RESULT_DESCRIPTION =
  "Values are numbers where these are exact (else texts), booleans, texts, JSON and lists; times are in " +
  "UTC. It ends after `limit` rows, 200,000 cells or 4 MiB, which `truncated` tells, and is cancelled when the client " +
  "leaves.";
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
  summary: "List the views of the platform that SQL may name beside tables",
  description:
    "Tickets, clocks, configuration items, runs and events, each for those who may read them.",
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
  summary: "Ask a question in SQL",
  description:
    "One `select` (also `with`, `values`) about the tables of this workspace and environment, by their " +
    "slugs, with the rows and fields that the tables' rules let the caller see, and the views that `queries.views` " +
    "names, with the rows that the caller may read. Tables need `records:read`. Only functions that " +
    "compute something of their arguments can be called. Columns have the names of fields; `id`, " +
    `\`created_at\`, \`updated_at\` and \`created_by\` are there too. ${RESULT_DESCRIPTION}`,
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
  summary: "See how PostgreSQL would answer a question in SQL",
  description:
    "The nodes of the plan, as `explain` has them. With `run` it is answered too, and each node says the rows and " +
    "the time that it took. Where rules may limit the caller, only the shape of the plan is told.",
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
  summary: "List the tables, views, columns and functions that SQL may name",
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
  summary: "Ask a saved question",
  description: `In the environment of the request, as the caller may see it. ${RESULT_DESCRIPTION}`,
  permission: QueriesRun,
  longRunning: true,
  params: object({ id: QueryId }),
  body: object({
    params: Type.Optional(
      Type.Union([ParameterList, Type.Record(Type.String(), Type.Unknown())], {
        description: "The values of its parameters, in their order or by name",
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
