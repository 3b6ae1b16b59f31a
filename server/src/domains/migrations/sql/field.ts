import { SYSTEM_COLUMNS, type Table } from "#domains/tables/index.ts";

const FIELD_NAMES: ReadonlyMap<string, string> = new Map(
  SYSTEM_COLUMNS.flatMap(([field, column]) => [
    [column, field],
    [field.toLowerCase(), field],
  ]),
);

/** The field that a column of SQL is, of those that every table has; any other is itself. */
export function toFieldName(column: string): string {
  return FIELD_NAMES.get(column) ?? column;
}

/**
 * The column that a name means: PostgreSQL reads a name without quotes in small letters, and no two
 * columns of a table differ in that alone.
 */
export function resolveColumnName(table: Table | undefined, name: string): string {
  const columns = table?.columns ?? [];
  if (columns.some((column) => column.name === name)) return name;
  const lower = name.toLowerCase();
  return columns.find((column) => column.name.toLowerCase() === lower)?.name ?? name;
}
