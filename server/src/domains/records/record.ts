/** What a record is, to the API and in SQL. */
import Type from "typebox";
import { Time } from "#kernel/schema/schema.ts";
import { quotedColumn } from "#domains/tables/sql-names.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { RecordId, SYSTEM_COLUMNS } from "#domains/tables/table.ts";

/** What every record has; the fields of its table stand beside that, null where there is nothing. */
export const RecordSchema = Type.Object(
  {
    id: RecordId,
    createdAt: Time,
    updatedAt: Time,
    createdBy: Type.String({ description: "The id of whoever made it" }),
  },
  {
    title: "Record",
    additionalProperties: true,
    description:
      "Beside these, the fields of its table by their names; null where there is nothing",
  },
);

/** A record as the API shows it. */
export type VisibleColumns = Readonly<Record<string, unknown>>;

const lists = new WeakMap<TableSchema, string>();

/** All fields of a record by their names, in their order, for whoever may see them all. */
export function selectList(table: TableSchema): string {
  let list = lists.get(table);
  if (list === undefined) lists.set(table, (list = listOf(table, "")));
  return list;
}

/** The same, of a row that has a name of its own in the statement: `old.`, say. */
export function listOf({ columns }: TableSchema, row: string): string {
  const system = SYSTEM_COLUMNS.map(([field]) => `${row}${quotedColumn(field)} as "${field}"`);
  return [...system, ...columns.map(({ quoted }) => row + quoted)].join(", ");
}

/**
 * The record that a row holds whose columns are named as its fields. The row becomes the record: it
 * is the driver's, made for this one answer.
 */
export function toRecord(table: TableSchema, row: SqlRow): VisibleColumns {
  const made = row as Record<string, unknown>;
  for (const { name, columnType } of table.columns) {
    // What was not selected is not there; and a column may be called `constructor`.
    if (!Object.hasOwn(made, name)) continue;
    const stored = made[name];
    if (stored !== null) made[name] = columnType.show(stored);
  }
  return made;
}
