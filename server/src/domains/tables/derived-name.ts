import { createHash } from "node:crypto";
import type { Table } from "./table.ts";

/**
 * The prefixes of derived names by purpose. They start with a capital letter, and table names never do: indexes and
 * tables share a namespace.
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
 * The name of a view, an index or a constraint: short for any column name, and in a form that users cannot choose.
 * It follows a renamed column, so that an error of PostgreSQL always identifies the column.
 */
export function derivedName(tableId: string, purpose: DerivedNamePurpose, subject: string): string {
  const hash = createHash("sha256").update(`${tableId} ${subject}`).digest("hex");
  return `${PREFIXES[purpose]}_${hash.slice(0, 16)}`;
}

/** The purpose and fields of an index or constraint. */
export interface DerivedNameParts {
  readonly purpose: DerivedNamePurpose;
  readonly fields: readonly string[];
}

/** Parses a name in an error of PostgreSQL; undefined if it does not belong to this table. */
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
