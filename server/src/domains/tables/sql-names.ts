/** Locates a table and quotes its SQL names. */
import type { Partition } from "#kernel/db/partition.ts";
import { schemaOf } from "#kernel/db/sql-runner.ts";
import { derivedName, type DerivedNamePurpose } from "./derived-name.ts";
import { COLUMN_PATTERN, SLUG_PATTERN, SYSTEM_COLUMNS, type Table } from "./table.ts";

const IDENTIFIER = new RegExp(`${SLUG_PATTERN}|${COLUMN_PATTERN}`);
const SQL_NAMES: ReadonlyMap<string, string> = new Map(SYSTEM_COLUMNS);

/**
 * Quotes a name. All names were validated when they were saved, so one with other characters is a bug, and throws.
 */
export function quoteIdentifier(name: string): string {
  if (!IDENTIFIER.test(name)) throw new Error("A name that was never checked was to become SQL.");
  return `"${name}"`;
}

/** The column of a field: system fields have other names in SQL. */
export function quotedColumn(field: string): string {
  return quoteIdentifier(SQL_NAMES.get(field) ?? field);
}

/** A table and its partition. */
export interface TableLocation {
  readonly partition: Partition;
  readonly table: Pick<Table, "id" | "slug">;
}

/** The table itself, quoted; for its owner and its reader role. */
export function tableSql({ partition, table: { slug } }: TableLocation): string {
  return `${quoteIdentifier(schemaOf(partition))}.${quoteIdentifier(slug)}`;
}

/** The quoted view through which the application reads and writes the table: see `createView`. */
export function viewSql(location: TableLocation): string {
  return qualifiedName(location, "view", "");
}

/**
 * The view column that names the version of the columns. User-defined columns cannot have this name. A statement of
 * an older schema names a missing column, and fails.
 */
export function versionColumn({ shape }: Pick<Table, "shape">): string {
  return `"shape ${shape}"`;
}

/** Finds a version column in an error of PostgreSQL. */
export const VERSION_COLUMN = /"shape \d+"/;

/** A derived name with the schema of the table before it. */
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
