import Type, { type Static } from "typebox";
import { changeEvent, event, type EventType } from "#kernel/log/event.ts";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, text, Time } from "#kernel/schema/schema.ts";
import type { StoredDefinition } from "#kernel/resource/stored-definition.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { checkDeclarations, Parameter, PARAMETERS_MAX } from "./parameter.ts";

export const SQL_CHARACTERS_MAX = 50_000;

export const QueryId = id("qry");
export const Sql = Type.String({
  minLength: 1,
  maxLength: SQL_CHARACTERS_MAX,
  description: "One `select` statement of PostgreSQL, with the parameters `$1`, `$2` …",
});

/** The fields that users set. */
export const queryFields = {
  name: line(200),
  description: text(2_000),
  sql: Sql,
  parameters: Type.Array(Parameter, {
    maxItems: PARAMETERS_MAX,
    description: "The parameters `$1`, `$2` … in order",
  }),
};

export const SavedQuery = Type.Object(
  { id: QueryId, ...queryFields, createdBy: Type.String(), createdAt: Time, updatedAt: Time },
  { title: "SavedQuery" },
);
export type SavedQuery = Static<typeof SavedQuery> & { readonly revision: number };

const storedQueries = new Validator(Type.Pick(SavedQuery, ["parameters"]), "body");

/** Validates queries before they are saved; each run inspects its statement again. */
export const queryDefinition: StoredDefinition = {
  table: "saved_queries",
  columns: "parameters",
  check(_services, { parameters }) {
    const result = storedQueries.check({ parameters });
    if ("errors" in result) return result.errors;
    return checkDeclarations(parameters as readonly Parameter[]);
  },
};

export const QueryNameTaken = failure(
  "query_name_taken",
  409,
  "Another query has this name.",
  "saved_queries_name",
);
export const TooManyQueries = failure(
  "too_many_queries",
  409,
  "The workspace has reached its limit of saved queries.",
);

export const QueryCreated = event("query.created", {
  resource: "query",
  summary: "A saved query was created.",
  data: SavedQuery,
});

export const QueryUpdated = changeEvent("query.updated", {
  resource: "query",
  summary: "A saved query was updated.",
  data: SavedQuery,
});

export const QueryDeleted = event("query.deleted", {
  resource: "query",
  summary: "A saved query was deleted.",
  data: SavedQuery,
});

export const queryEvents: readonly EventType[] = [QueryCreated, QueryUpdated, QueryDeleted];
