import Type from "typebox";
import { event } from "#kernel/event.ts";
import { Time } from "#kernel/schema.ts";
import { RecordId, Slug } from "../table.ts";

/** A record in an event: its fields beside the table that it belongs to. */
const EventRecord = Type.Object(
  {
    tableSlug: Slug,
    id: RecordId,
    createdAt: Time,
    updatedAt: Time,
    createdBy: Type.String(),
  },
  { title: "EventRecord", description: "And the table's own fields", additionalProperties: true },
);

export const RecordCreated = event("record.created", {
  resource: "record",
  summary: "A record was made.",
  data: EventRecord,
});

export const RecordUpdated = event("record.updated", {
  resource: "record",
  summary: "A record was changed.",
  data: Type.Object({
    tableSlug: Slug,
    before: EventRecord,
    after: EventRecord,
    changes: Type.Array(Type.String()),
  }),
});

export const RecordDeleted = event("record.deleted", {
  resource: "record",
  summary: "A record was deleted.",
  data: EventRecord,
});

export const recordEvents = [RecordCreated, RecordUpdated, RecordDeleted] as const;
