/** Where a table is, and the names that it has in SQL. */
import type { Partition } from "#kernel/db/partition.ts";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import { derivedName, type DerivedNamePurpose } from "./derived-name.ts";
import { COLUMN_PATTERN, SLUG_PATTERN, SYSTEM_COLUMNS, type Table } from "./table.ts";

const IDENTIFIER = new RegExp(`${SLUG_PATTERN}|${COLUMN_PATTERN}`);
const SQL_NAMES: ReadonlyMap<string, string> = new Map(SYSTEM_COLUMNS);

/**
 * A name as a quoted identifier. What is not of the checked alphabet is our bug, since every name was
 * checked when it was saved: it never gets as far as a statement.
 */
export function quoteIdentifier(name: string): string {
  if (!IDENTIFIER.test(name)) throw new Error("A name that was never checked was to become SQL.");
  return `"${name}"`;
}

/** The column that holds a field: the platform's own have other names in SQL. */
export function quotedColumn(field: string): string {
  return quoteIdentifier(SQL_NAMES.get(field) ?? field);
}

/** A table, and where it is. */
export interface TableLocation {
  readonly partition: Partition;
  readonly table: Pick<Table, "id" | "slug">;
}

/** The table itself, quoted; for who is its owner or its reader. */
export function tableSql({ partition, table: { slug } }: TableLocation): string {
  return `${quoteIdentifier(schemaOf(partition))}.${quoteIdentifier(slug)}`;
}

/** Through what the application reads and writes the table, quoted: see `createView`. */
export function viewSql(location: TableLocation): string {
  return qualifiedName(location, "view", "");
}

/**
 * A column of that view by which it tells the table's shape. No column of people can have such a name. Whoever
 * writes by an earlier definition names one that is no longer there, and looks at the table anew.
 */
export function versionColumn({ shape }: Pick<Table, "shape">): string {
  return `"shape ${shape}"`;
}

/** Finds such a name in what PostgreSQL says. */
export const VERSION_COLUMN = /"shape \d+"/;

/** A name in the schema of the table. */
export function qualifiedName(
  location: TableLocation,
  purpose: DerivedNamePurpose,
  subject: string,
): string {
  return `${quoteIdentifier(schemaOf(location.partition))}.${derivedNameSql(location, purpose, subject)}`;
}

export function derivedNameSql(
  { table: { id } }: TableLocation,
  purpose: DerivedNamePurpose,
  subject: string,
): string {
  return quoteIdentifier(derivedName(id, purpose, subject));
}
