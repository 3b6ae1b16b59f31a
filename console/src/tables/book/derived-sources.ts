/**
 * Finds the tables whose records affect a table's displayed values: targets of its references and links, and tables
 * that its computed columns read.
 */
import { type GridColumn, isComputed, linkTargetOf, targetOf } from "../column/column.ts";

export interface DerivedSources {
  /** True if the server computes some values of a record, or returns names of referenced records. */
  readonly isDerived: boolean;
  /** True if a change to a record of this table can change the displayed values. */
  readonly reads: (table: string) => boolean;
}

export function findSources(columns: readonly GridColumn[]): DerivedSources {
  const tables = new Set(
    columns.flatMap((column) => targetOf(column) ?? linkTargetOf(column) ?? []),
  );
  const computed = columns.filter(isComputed);
  // A path may lead through unknown tables, and a formula may read any computed column.
  const isOpen = computed.some(({ type }) => type !== "backlinks" && type !== "embedding");
  const isDerived = computed.length > 0 || tables.size > 0 || columns.some(isGenerated);
  return {
    isDerived,
    reads: (table) => tables.has(table) || (isOpen && tables.size > 0),
  };
}

/** True if the server generates a value for each new record. */
const isGenerated = ({ type, hasDefault }: GridColumn): boolean =>
  type === "autonumber" || hasDefault === true;
