import type { ListDefinition } from "#kernel/list/list.ts";
import { itemIdsSql, ticketStore } from "../tickets/index.ts";
import type { Problem } from "./problem.ts";

export const problemStore = ticketStore<Problem>({
  kind: "problem",
  table: "problems",
  fields: [
    "title",
    "description",
    "state",
    "priority",
    "assigneeId",
    "teamId",
    "rootCause",
    "workaround",
    "resolution",
    "knownErrorAt",
    "resolvedAt",
    "closedAt",
    "updatedAt",
  ],
});

/** The fields that problems are filtered and sorted by. */
export const problemList: ListDefinition = {
  name: "problems",
  from: "problems",
  select: problemStore.select,
  fields: {
    id: { sql: "id", kind: "text" },
    no: { sql: "no", kind: "number", type: "bigint" },
    number: { sql: "number", kind: "text" },
    title: { sql: "title", kind: "text" },
    description: { sql: "description", kind: "text" },
    state: { sql: "state", kind: "text" },
    priority: { sql: "priority", kind: "number", type: "integer" },
    assigneeId: { sql: "assignee_id", kind: "text", nullable: true },
    teamId: { sql: "team_id", kind: "text", nullable: true },
    ciIds: { sql: itemIdsSql("problems"), kind: "texts" },
    tags: { sql: "tags", kind: "texts" },
    fields: { sql: "fields", kind: "json" },
    rootCause: { sql: "root_cause", kind: "text", nullable: true },
    workaround: { sql: "workaround", kind: "text", nullable: true },
    resolution: { sql: "resolution", kind: "text", nullable: true },
    knownErrorAt: { sql: "known_error_at", kind: "time", nullable: true },
    resolvedAt: { sql: "resolved_at", kind: "time", nullable: true },
    closedAt: { sql: "closed_at", kind: "time", nullable: true },
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["number", "title", "description", "root_cause", "workaround"],
  order: "-createdAt",
  tieBreaker: "no",
};

/** Known errors, newest first. */
export const knownErrorList: ListDefinition = {
  ...problemList,
  name: "known errors",
  fields: { ...problemList.fields, knownErrorAt: { sql: "known_error_at", kind: "time" } },
  order: "-knownErrorAt",
};
