import { createHash } from "node:crypto";
import type { Table } from "./table.ts";

/**
 * The prefixes of derived names by their purpose. Each begins with a capital letter, which no table's
 * name does: indexes and tables share one namespace.
 */
const PREFIXES = {
  view: "View",
  key: "Key",
  unique: "Unique",
  index: "Index",
  words: "Words",
  several: "Several",
  check: "Check",
  reference: "Reference",
} as const;
export type DerivedNamePurpose = keyof typeof PREFIXES;

/**
 * The name of a view, an index or a constraint: short however long the column's, and of a form that no
 * person can give. It follows a column that is renamed, so that an error of PostgreSQL always leads to
 * the column.
 */
export function derivedName(tableId: string, purpose: DerivedNamePurpose, subject: string): string {
  const hash = createHash("sha256").update(`${tableId} ${subject}`).digest("hex");
  return `${PREFIXES[purpose]}_${hash.slice(0, 16)}`;
}

/** The purpose of an index or constraint, and its fields. */
export interface DerivedNameParts {
  readonly purpose: DerivedNamePurpose;
  readonly fields: readonly string[];
}

/** Parses a name in an error of PostgreSQL; undefined when it is none of this table's. */
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

const COLUMN_PURPOSES = ["unique", "reference", "check", "index", "words"] as const;
