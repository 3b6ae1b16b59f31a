import type { ConditionFieldKind } from "#kernel/condition/sql.ts";

/** A column of a report: a group or a value, with a name. */
export interface Column {
  readonly name: string;
  readonly role: "bucket" | "group" | "value";
  readonly kind: ConditionFieldKind;
  readonly sql: string;
  readonly show: (stored: unknown) => unknown;
  /** Its value in a bucket without rows. */
  readonly empty: unknown;
}
