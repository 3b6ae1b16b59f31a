import { COLUMN_PATTERN, SLUG_PATTERN, SYSTEM_COLUMNS } from "./table.ts";

const NAME = new RegExp(`${SLUG_PATTERN}|${COLUMN_PATTERN}`);
const IN_SQL: ReadonlyMap<string, string> = new Map(SYSTEM_COLUMNS);

/**
 * A name as a quoted identifier. What is not of the checked alphabet is our bug, since every name was
 * checked when it was saved: it never gets as far as a statement.
 */
export function quoted(name: string): string {
  if (!NAME.test(name)) throw new Error("A name that was never checked was to become SQL.");
  return `"${name}"`;
}

/** The column that holds a field: the platform's own have other names in SQL. */
export function columnOf(field: string): string {
  return quoted(IN_SQL.get(field) ?? field);
}
