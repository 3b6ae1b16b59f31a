import type { Partition } from "#kernel/db/partition.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { linkTargetOf, targetOf } from "../columns/reference.ts";
import type { TableLocation } from "../sql-names.ts";
import { type Column, SYSTEM_COLUMNS, type Table } from "../table.ts";
import type { Statement } from "./ddl.ts";
import type { TableStep } from "./step.ts";

/** The state that steps are planned on; planning itself reads nothing. */
export interface PlanContext {
  readonly partition: Partition;
  /** The tables of the steps by slug, with all previous steps applied. */
  readonly tables: Map<string, Table>;
  /** The other tables of the partition by slug, because rule paths can use them. */
  readonly others: ReadonlyMap<string, Table>;
  /** The slugs of the tables that have records. */
  readonly filledTables: ReadonlySet<string>;
  /** The system fields of a new table. */
  readonly newTable: () => Omit<
    Table,
    "slug" | "name" | "description" | "columns" | "indexes" | "rules"
  >;
}

/** The statements of one step. */
export interface PlannedChange {
  readonly statements: readonly Statement[];
  /** The steps that undo it. */
  readonly inverse: readonly TableStep[];
}

/** The errors in a step; paths are within it. */
export class StepErrors extends Error {
  readonly errors: readonly FieldError[];

  constructor(errors: readonly FieldError[]) {
    super("A step is invalid.");
    this.name = "StepFaults";
    this.errors = errors;
  }
}

export function rejectStep(path: string, message: string): never {
  throw new StepErrors([{ path, message }]);
}

export function rejectSteps(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new StepErrors(errors);
}

/** Returns the table referenced by a step. */
export function tableIn({ tables }: PlanContext, slug: string): Table {
  return tables.get(slug) ?? rejectStep("/table", "is not a table in this environment");
}

/** Returns the column referenced at a step path. */
export function columnIn({ columns }: Pick<Table, "columns">, name: string, path: string): Column {
  return (
    columns.find((column) => column.name === name) ??
    rejectStep(path, "is not a column of this table")
  );
}

/** Rejects a reference to a missing table. A table may refer to itself. */
export function checkTarget(
  { tables }: PlanContext,
  column: Column,
  at: { readonly path: string; readonly self: string },
): void {
  const target = targetOf(column) ?? linkTargetOf(column);
  if (target === undefined || target === at.self || tables.has(target)) return;
  rejectStep(`${at.path}/options/table`, "is not a table in this environment");
}

export function tableLocation({ partition }: PlanContext, table: Table): TableLocation {
  return { partition, table };
}

/** The platform's own fields that an index may have; every record has them. */
export const SYSTEM_FIELDS: ReadonlySet<string> = new Set(SYSTEM_COLUMNS.map(([name]) => name));
