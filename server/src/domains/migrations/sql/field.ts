import { SYSTEM_COLUMNS, type Table } from "#domains/tables/index.ts";

const FIELD_NAMES: ReadonlyMap<string, string> = new Map(
  SYSTEM_COLUMNS.flatMap(([field, column]) => [
    [column, field],
    [field.toLowerCase(), field],
  ]),
);

/** The API's name of a system column; any other column keeps its name. */
export function toFieldName(column: string): string {
  return FIELD_NAMES.get(column) ?? column;
}

/**
 * The column with a name: PostgreSQL converts unquoted names to lower case, and columns of a table cannot differ
 * only in case.
 */
export function resolveColumnName(table: Table | undefined, name: string): string {
  const columns = table?.columns ?? [];
  if (columns.some((column) => column.name === name)) return name;
  const lower = name.toLowerCase();
  return columns.find((column) => column.name.toLowerCase() === lower)?.name ?? name;
}
