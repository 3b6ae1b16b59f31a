import Type from "typebox";
import { Conflict } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import type { Operation } from "#kernel/contract.ts";
import { listPageById, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { QueriesRun, QueriesWrite } from "./permissions.ts";
import { QueryCreated, QueryDeleted, QueryUpdated } from "./saved-query.ts";
import { QueryRefused } from "./run/query-failure.ts";
import {
  describeSchema,
  explainSql,
  listSqlViews,
  runSavedQuery,
  runSql,
} from "./run/run-operations.ts";
import { inspectQuery } from "./run/run-query.ts";
import { queryFields, QueryId, QueryNameTaken, SavedQuery, TooManyQueries } from "./saved-query.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: QueryId });
const LIST = "queries, newest first";
const example = { params: { id: "qry_01jd0000000000000000000000" } };
/** A saved query is the same in all environments; its result is not. */
const environmentScoped = false;

const listQueries = query({
  id: "queries.list",
  route: "GET /api/v1/queries",
  summary: "List saved queries, newest first",
  permission: QueriesRun,
  environmentScoped,
  query: object(pageQuery),
  response: page(withRevision(SavedQuery)),
  run: ({ tx, services }, { query: listQuery }) =>
    listPageById(services, LIST, listQuery, (before, limit) => store.list(tx, { before, limit })),
});

const createQuery = command({
  id: "queries.create",
  effect: "ordinary",
  route: "POST /api/v1/queries",
  summary: "Save a query",
  description:
    "The query belongs to the workspace and can be run in every environment. It is checked to be a single `select` that only reads; its tables do not have to exist yet. Default names of the `parameters`: `p1`, `p2` …",
  permission: QueriesWrite,
  environmentScoped,
  body: object({
    name: queryFields.name,
    description: Type.Optional(queryFields.description),
    sql: queryFields.sql,
    parameters: Type.Optional(queryFields.parameters),
  }),
  response: created(SavedQuery, { location: ({ id }) => `/api/v1/queries/${id}` }),
  emits: [QueryCreated],
  fails: [QueryRefused, QueryNameTaken, TooManyQueries],
  example: {
    body: {
      name: "Orders by status",
      sql: "select status, count(*) from orders where created_at > $1 group by status",
      parameters: [{ name: "since", type: "date" }],
    },
  },
  prepare: (_, { body }, caller) => inspectQuery(caller, body.sql),
  run: (ctx, { body }, inspection) => service.create(ctx, body, inspection),
});

const getQuery = query({
  id: "queries.get",
  route: "GET /api/v1/queries/{id}",
  summary: "Get a saved query",
  permission: QueriesRun,
  environmentScoped,
  params: ById,
  response: item(SavedQuery),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

const updateQuery = command({
  id: "queries.update",
  effect: "ordinary",
  route: "PATCH /api/v1/queries/{id}",
  summary: "Update a saved query",
  permission: QueriesWrite,
  environmentScoped,
  params: ById,
  body: patch(queryFields),
  response: item(SavedQuery),
  emits: [QueryUpdated],
  fails: [QueryRefused, QueryNameTaken, Conflict],
  example: { ...example, body: { name: "Orders by status since a date" } },
  prepare: (platform, { params, body }, caller) =>
    service.prepareUpdate(platform, caller, params.id, body),
  run: (ctx, { params, body }, prepared) => service.update(ctx, params.id, body, prepared),
});

const deleteQuery = command({
  id: "queries.delete",
  route: "DELETE /api/v1/queries/{id}",
  summary: "Delete a saved query",
  permission: QueriesWrite,
  environmentScoped,
  params: ById,
  response: noContent(),
  emits: [QueryDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});

export const queryOperations: readonly Operation[] = [
  listQueries,
  createQuery,
  runSql,
  listSqlViews,
  explainSql,
  describeSchema,
  getQuery,
  updateQuery,
  deleteQuery,
  runSavedQuery,
];
