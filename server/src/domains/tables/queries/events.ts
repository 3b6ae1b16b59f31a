import { changeEvent, event, type EventType } from "#kernel/log/event.ts";
import { SavedQuery } from "#domains/queries/saved-query.ts";

export const QueryCreated = event("query.created", {
  resource: "query",
  summary: "A query in SQL was saved.",
  data: SavedQuery,
});

export const QueryUpdated = changeEvent("query.updated", {
  resource: "query",
  summary: "A saved query was changed.",
  data: SavedQuery,
});

export const QueryDeleted = event("query.deleted", {
  resource: "query",
  summary: "A saved query was deleted.",
  data: SavedQuery,
});

export const queryEvents: readonly EventType[] = [QueryCreated, QueryUpdated, QueryDeleted];
