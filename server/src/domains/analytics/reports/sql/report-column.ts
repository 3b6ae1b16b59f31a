import type { ConditionFieldKind } from "#kernel/condition/sql.ts";

/** An aggregate that can be computed from the same aggregates over parts of the rows. */
export interface MergePart {
  /** The function for the rows, and the one that combines the results of parts. */
  readonly fn: "count" | "sum" | "min" | "max";
  /** All rows if absent, which is only allowed for a count. */
  readonly operand: string | undefined;
  readonly filter: string | undefined;
}

/** How a value is computed from parts of its rows. */
export interface ColumnMerge {
  readonly parts: readonly MergePart[];
  /** The value, from the merged aggregates of the parts. */
  readonly whole: (merged: readonly string[]) => string;
}

/** A column of a report: a group or a value, with a name. */
export interface Column {
  readonly name: string;
  /** The title of the column, if the field of the source has one. */
  readonly title?: string | undefined;
  readonly role: "bucket" | "group" | "value";
  readonly kind: ConditionFieldKind;
  readonly sql: string;
  readonly show: (stored: unknown) => unknown;
  /** Its value in a bucket without rows. */
  readonly empty: unknown;
  /** For a value; absent if it needs all rows at once, like a percentile. */
  readonly merge?: ColumnMerge | undefined;
}
