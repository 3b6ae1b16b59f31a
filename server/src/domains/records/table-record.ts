/** A record as those have it who write: with its revision, and a name for events. */
import { isDeepStrictEqual } from "node:util";
import type { Json } from "#domains/tables/columns/column-type.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import type { ResourceRef } from "#kernel/log/event.ts";
import { failure, type FieldError } from "#kernel/operation/failure.ts";
import { recordStatements } from "./record-statements.ts";

/** With the platform's own fields first, then the table's. */
export interface TableRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: string;
  readonly [field: string]: Json;
}

/** A record and the revision that it is in. */
export interface StoredRecord {
  readonly record: TableRecord;
  readonly revision: number;
}

export const RecordNotUnique = failure(
  "record_not_unique",
  409,
  "Another record has this value in a field where each has its own.",
);
export const RecordReferenced = failure(
  "record_referenced",
  409,
  "Other records refer to this one.",
);

/** The record in a row that was selected as `Plan.all` says. */
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
  // The four that every record has are among them.
  return { record: record as unknown as TableRecord, revision: row["revision"] as number };
}

const NAME_CHARACTERS_MAX = 200;

/** How events name a record: by its first text, if it has one. */
export function recordRef(table: TableSchema, record: TableRecord): ResourceRef {
  const { title } = recordStatements(table);
  const name = title === undefined ? null : record[title];
  if (typeof name !== "string" || name === "") return { id: record.id };
  return { id: record.id, displayName: nameIn(name) };
}

/** As much of a text as events show. */
export function nameIn(text: string): string {
  if (text.length <= NAME_CHARACTERS_MAX) return text;
  const start = text.slice(0, NAME_CHARACTERS_MAX);
  // Not with half of a character at its end, which PostgreSQL would refuse.
  return start.isWellFormed() ? start : start.slice(0, -1);
}

/** The fields in which two states of a record differ. That it was changed just now goes without saying. */
export function changesBetween(before: TableRecord, after: TableRecord): string[] {
  return Object.keys(after).filter((field) => {
    if (field === "updatedAt") return false;
    const [old, now] = [before[field], after[field]];
    // The members of JSON come back from the database in another order.
    return old !== now && !(typeof now === "object" && isDeepStrictEqual(old, now));
  });
}

/** Every list, event and export holds whole records, so none may grow without end. */
export const RECORD_CHARACTERS_MAX = 1_048_576;

/** How much there is in a record, in characters: near enough, and quickly found. */
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

export function faultsOfSize(size: number, path: string): FieldError[] {
  if (size <= RECORD_CHARACTERS_MAX) return [];
  const message = `must hold at most ${RECORD_CHARACTERS_MAX} characters in all its fields together`;
  return [{ path, message }];
}
