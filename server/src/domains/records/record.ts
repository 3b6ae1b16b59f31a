/** Records: the API schema, types, and the conversion of rows to records. */
import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import type { SqlRow } from "#kernel/db/statement.ts";
import { failure, type FieldError } from "#kernel/operation/failure.ts";
import { id, Time } from "#kernel/schema/schema.ts";
import { COLUMNS_MAX, type Json, type TableSchema } from "#domains/tables/index.ts";

export const RecordId = id("rec");

/** The fields of all records; the fields of the table are added to them. */
export const RecordSchema = Type.Object(
  {
    id: RecordId,
    createdAt: Time,
    updatedAt: Time,
    createdBy: Type.String({ description: "Id of the creator" }),
  },
  {
    title: "Record",
    additionalProperties: true,
    description: "In addition, the fields of the table by name; null without a value",
  },
);

export const NoSuchRecord = failure(
  "not_found",
  404,
  "The record does not exist, or you can't see it.",
);
export const RecordNotUnique = failure(
  "record_not_unique",
  409,
  "Another record already has this value in a unique field.",
);
export const RecordReferenced = failure(
  "record_referenced",
  409,
  "Other records refer to this record.",
);

/** A complete record: system fields first, then the table's. */
export interface TableRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: string;
  readonly [field: string]: Json;
}

/** A record and its revision. */
export interface StoredRecord {
  readonly record: TableRecord;
  readonly revision: number;
}

/** A record in a response: fields that were not selected are absent, hidden fields are null. */
export type RecordResponse = Readonly<Record<string, unknown>>;

/** The fields of a record in a request. */
export type RecordInput = Readonly<Record<string, unknown>>;

/** The fields of a record in a request. `Type.Record` would match each name with a pattern that any text fits. */
export const recordFields = (options: { minProperties?: number } = {}) =>
  Type.Unsafe<RecordInput>({
    type: "object",
    ...options,
    maxProperties: COLUMNS_MAX,
    description: "Fields of the table by name",
  });

/** A record to write. */
export interface RecordWrite {
  readonly record: TableRecord;
  /** The fields that the request names. */
  readonly named: readonly string[];
  /** The record's path in the request. */
  readonly path: string;
}

/**
 * The record in a row whose column names equal its fields. The row itself becomes the record, because the driver
 * created it only for this response.
 */
export function toRecord(schema: TableSchema, row: SqlRow): RecordResponse {
  const record = row as Record<string, unknown>;
  for (const { name, columnType } of schema.converted) {
    // Columns that were not selected are absent; a column may also be named `constructor`.
    if (!Object.hasOwn(record, name)) continue;
    const stored = record[name];
    if (stored !== null) record[name] = columnType.show(stored);
  }
  return record;
}

/** The record in a row selected with `RecordStatements.all`. */
export function toStoredRecord({ columns }: TableSchema, row: SqlRow): StoredRecord {
  const record: Record<string, Json> = {
    id: row["id"] as string,
    createdAt: row["createdAt"] as string,
    updatedAt: row["updatedAt"] as string,
    createdBy: row["createdBy"] as string,
  };
  for (const { name, columnType } of columns) {
    const stored = row[name];
    record[name] = stored === null || stored === undefined ? null : columnType.show(stored);
  }
  // The system fields are always included.
  return { record: record as unknown as TableRecord, revision: row["revision"] as number };
}

/** Returns the fields that differ, except `updatedAt`. */
export function changesBetween(before: TableRecord, after: TableRecord): string[] {
  return Object.keys(after).filter((field) => {
    if (field === "updatedAt") return false;
    const [old, now] = [before[field], after[field]];
    // The database returns the members of JSON in another order.
    return old !== now && !(typeof now === "object" && isDeepStrictEqual(old, now));
  });
}

/** Lists, events and exports contain complete records, so the size of a record is limited. */
const RECORD_CHARACTERS_MAX = 1_048_576;

/** The approximate size of a record in characters, which is fast to compute. */
export function storedSize(record: TableRecord): number {
  let size = 0;
  for (const name in record) {
    const value = record[name];
    if (typeof value === "string") size += value.length;
    else if (typeof value === "object" && value !== null) size += JSON.stringify(value).length;
    else size += 1;
  }
  return size;
}

export function checkSize(size: number, path: string): FieldError[] {
  if (size <= RECORD_CHARACTERS_MAX) return [];
  const message = `must have at most ${RECORD_CHARACTERS_MAX} characters in all its fields together`;
  return [{ path, message }];
}
