import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { Time } from "#kernel/schema/schema.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { RecordId, Slug, TableId } from "#domains/tables/table.ts";

/** The table that an event is of, as it was then. */
const tableThen = {
  tableSlug: Slug,
  tableId: TableId,
  tableRevision: Type.Integer({ description: "The revision that the table's definition was in" }),
};

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

const WholeEventRecord = Type.Object(
  { ...tableThen, ...EventRecord.properties },
  {
    title: "WholeEventRecord",
    description: "And the table's own fields",
    additionalProperties: true,
  },
);

/** What the data of every event about a record begins with. */
export function tableIn({ slug, id, revision }: TableSchema) {
  return { tableSlug: slug, tableId: id, tableRevision: revision };
}

export const RecordCreated = event("record.created", {
  resource: "record",
  summary: "A record was made.",
  data: WholeEventRecord,
});

export const RecordUpdated = event("record.updated", {
  resource: "record",
  summary: "A record was changed.",
  data: Type.Object({
    ...tableThen,
    before: EventRecord,
    after: EventRecord,
    changes: Type.Array(Type.String()),
  }),
});

export const RecordDeleted = event("record.deleted", {
  resource: "record",
  summary: "A record was deleted.",
  data: WholeEventRecord,
});

export const recordEvents = [RecordCreated, RecordUpdated, RecordDeleted] as const;
