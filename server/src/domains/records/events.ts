import Type from "typebox";
import { event, type ResourceRef } from "#kernel/log/event.ts";
import { Time } from "#kernel/schema/schema.ts";
import { Slug, TableId, type TableSchema } from "#domains/tables/index.ts";
import { changesBetween, RecordId, type TableRecord } from "./record.ts";
import { recordStatements } from "./record-statements.ts";

/** The table as it was during the event. */
export const tableFields = {
  tableSlug: Slug,
  tableId: TableId,
  tableRevision: Type.Integer({ description: "The revision of the table definition" }),
};

/** A record in an event: its fields and its table. */
export const EventRecord = Type.Object(
  {
    tableSlug: Slug,
    id: RecordId,
    createdAt: Time,
    updatedAt: Time,
    createdBy: Type.String(),
  },
  { title: "EventRecord", description: "And the fields of the table", additionalProperties: true },
);

const WholeEventRecord = Type.Object(
  { ...tableFields, ...EventRecord.properties },
  {
    title: "WholeEventRecord",
    description: "And the fields of the table",
    additionalProperties: true,
  },
);

export const RecordCreated = event("record.created", {
  resource: "record",
  summary: "A record was created.",
  data: WholeEventRecord,
});

export const RecordUpdated = event("record.updated", {
  resource: "record",
  summary: "A record was updated.",
  data: Type.Object({
    ...tableFields,
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

export const RecordRestored = event("record.restored", {
  resource: "record",
  summary: "A deleted record was restored with its id and values.",
  data: WholeEventRecord,
});

export const recordEvents = [RecordCreated, RecordUpdated, RecordDeleted, RecordRestored] as const;

/** The data of `record.created` and `record.deleted`. */
export function recordEventData(schema: TableSchema, record: TableRecord) {
  return { ...tableDataOf(schema), ...record };
}

/** The data of `record.updated`. */
export function recordUpdateData(schema: TableSchema, before: TableRecord, after: TableRecord) {
  const tableSlug = schema.slug;
  return {
    ...tableDataOf(schema),
    before: { tableSlug, ...before },
    after: { tableSlug, ...after },
    changes: changesBetween(before, after),
  };
}

/** Builds the data of a record event without a record state. */
export function aboutRecordData(schema: TableSchema, record: TableRecord) {
  return { ...tableDataOf(schema), record: { tableSlug: schema.slug, ...record } };
}

function tableDataOf({ slug, id, revision }: TableSchema) {
  return { tableSlug: slug, tableId: id, tableRevision: revision };
}

/** Names a record by its first text, if it has one. */
export function recordRef(schema: TableSchema, record: TableRecord): ResourceRef {
  const { title } = recordStatements(schema);
  const name = title === undefined ? null : record[title];
  if (typeof name !== "string" || name === "") return { id: record.id };
  return { id: record.id, displayName: truncateName(name) };
}

const NAME_CHARACTERS_MAX = 200;

/** Truncates a text to the length that events store. */
export function truncateName(text: string): string {
  if (text.length <= NAME_CHARACTERS_MAX) return text;
  const start = text.slice(0, NAME_CHARACTERS_MAX);
  // PostgreSQL rejects half of a surrogate pair.
  return start.isWellFormed() ? start : start.slice(0, -1);
}
