import { createHash } from "node:crypto";
import type { Table } from "./table.ts";

/**
 * What a name in the schema is for. Each begins with a capital letter, which no table's does: indexes
 * and tables share one space of names.
 */
const PREFIXES = {
  view: "View",
  key: "Key",
  unique: "Unique",
  index: "Index",
  several: "Several",
  check: "Check",
  reference: "Reference",
} as const;
export type DerivedNamePurpose = keyof typeof PREFIXES;

/**
 * The name of a view, an index or a constraint: short however long the column's, and of a kind that nobody else
 * gives. It follows a column that is renamed, so that it always tells which column is meant when
 * PostgreSQL names it in an error.
 */
export function derivedName(tableId: string, purpose: DerivedNamePurpose, subject: string): string {
  const hash = createHash("sha256").update(`${tableId} ${subject}`).digest("hex");
  return `${PREFIXES[purpose]}_${hash.slice(0, 16)}`;
}

/** What an index or constraint of a table is for, and the fields that it is about. */
export interface DerivedNameParts {
  readonly purpose: DerivedNamePurpose;
  readonly fields: readonly string[];
}

/** Reads a name that an error of PostgreSQL has; undefined when it is none of this table's. */
export function parseDerivedName(
  { id, columns, indexes }: Pick<Table, "id" | "columns" | "indexes">,
  name: string,
): DerivedNameParts | undefined {
  if (name === derivedName(id, "key", "id")) return { purpose: "key", fields: ["id"] };
  for (const { name: column } of columns) {
    const purpose = COLUMN_PURPOSES.find((item) => name === derivedName(id, item, column));
    if (purpose) return { purpose, fields: [column] };
  }
  const index = indexes.find((item) => name === derivedName(id, "several", item.name));
  return index && { purpose: "several", fields: index.columns };
}

const COLUMN_PURPOSES = ["unique", "reference", "check", "index"] as const;
