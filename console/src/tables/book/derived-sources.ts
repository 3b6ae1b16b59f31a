/**
 * The tables whose records decide what a table shows: those that its references and links name, and those that its
 * computed columns read.
 */
import { type GridColumn, isComputed, linkTargetOf, targetOf } from "../column/column.ts";

export interface DerivedSources {
  /** True where the server computes some of a record's values, or names what it refers to. */
  readonly isDerived: boolean;
  /** True where a change of a record of this table may change what is shown. */
  readonly reads: (table: string) => boolean;
}

export function findSources(columns: readonly GridColumn[]): DerivedSources {
  const tables = new Set(
    columns.flatMap((column) => targetOf(column) ?? linkTargetOf(column) ?? []),
  );
  const computed = columns.filter(isComputed);
  // A path may lead through tables that are not known here, and a formula may read any computed column.
  const isOpen = computed.some(({ type }) => type !== "backlinks" && type !== "embedding");
  const isDerived = computed.length > 0 || tables.size > 0 || columns.some(isGenerated);
  return {
    isDerived,
    reads: (table) => tables.has(table) || (isOpen && tables.size > 0),
  };
}

/** True where the server gives each new record a value. */
const isGenerated = ({ type, hasDefault }: GridColumn): boolean =>
  type === "autonumber" || hasDefault === true;
