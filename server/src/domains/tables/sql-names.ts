/** Where a table is, and the names that it has in SQL. */
import { schemaOf } from "#kernel/db/sql-runner.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { derivedName, type Purpose } from "./derived-name.ts";
import { quoted } from "./identifier.ts";
import type { Table } from "./table.ts";

/** A table, and where it is. */
export interface Site {
  readonly partition: Partition;
  readonly table: Pick<Table, "id" | "slug">;
}

/** The table itself, quoted; for who is its owner or its reader. */
export function tableSql({ partition, table: { slug } }: Site): string {
  return `${quoted(schemaOf(partition))}.${quoted(slug)}`;
}

/** Through what the application reads and writes the table, quoted: see `createView`. */
export function viewSql(site: Site): string {
  return qualified(site, "view", "");
}

/**
 * A column of that view by which it tells the table's shape. No column of people can have such a name. Whoever
 * writes by an earlier definition names one that is no longer there, and looks at the table anew.
 */
export function shapeMark({ shape }: Pick<Table, "shape">): string {
  return `"shape ${shape}"`;
}

/** Finds such a name in what PostgreSQL says. */
export const SHAPE_MARK = /"shape \d+"/;

/** A name in the schema of the table. */
export function qualified(site: Site, purpose: Purpose, of: string): string {
  return `${quoted(schemaOf(site.partition))}.${nameSql(site, purpose, of)}`;
}

export function nameSql({ table: { id } }: Site, purpose: Purpose, of: string): string {
  return quoted(derivedName(id, purpose, of));
}
