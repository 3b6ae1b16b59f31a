/** Fields of a table in SQL, for one caller. */
import type { ConditionField } from "#kernel/condition/sql.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import type { Json } from "../columns/column-type.ts";
import type { RelatedTables } from "./field-type.ts";
import type { Grants } from "./grants.ts";
import type { TableSchema } from "./table-schema.ts";

/** A field in SQL. A computed field also converts its values to the API form. */
export interface TableField extends ConditionField {
  readonly show?: (stored: unknown) => Json;
  /** For a rollup: the same value for many rows in one scan, if possible. */
  readonly batch?: FieldBatch;
  /** The join for a referenced record's field, shared between fields. */
  readonly join?: FieldJoin;
}

/** A field of a referenced record. */
export interface FieldJoin {
  /** That record, after `from`; equal for all fields of it. */
  readonly record: string;
  /** The value there. */
  readonly value: string;
  /** The SQL that shows the value of the joined record. */
  readonly show: (value: string) => string;
}

/** A field computed for many rows in one source scan. */
export interface FieldBatch {
  /** A subquery with the columns `k`, the id of the row, and `v`, given a relation of rows and its column of ids. */
  readonly sql: (rows: string, key: string) => string;
  /** A subquery with the same columns for all rows of the table. */
  readonly all: string;
  /** The value for rows without a result. */
  readonly none: string;
}

/** Access rules compiled to SQL for one person. */
export interface RuleSql {
  /** The condition on visible records; undefined when all are visible. */
  readonly where: string | undefined;
  /** Returns a field for selecting, comparing and sorting as visible to the person, or undefined if not found. */
  readonly field: (name: string) => TableField | undefined;
  /** The condition under which a field of a visible record is visible; undefined when it always is. */
  readonly guard: (name: string) => string | undefined;
  /** True if the field is the column itself, so that its index can be used. */
  readonly isPlain: (name: string) => boolean;
}

/** Related tables for one caller. */
export interface TableRelations {
  readonly related: RelatedTables;
  /** Compiles another table's rules using its row alias. */
  readonly compile: (
    table: TableSchema,
    grants: Grants,
    parameters: SqlParameters,
    relations: TableRelations,
  ) => RuleSql;
  /** The grants of the caller to read a table. */
  readonly grants: (table: TableSchema) => Grants;
  /** The relation after `from` that the role of the statement can read. */
  readonly from: (table: TableSchema) => string;
  /** The row alias in the statement, which subqueries can refer to. */
  readonly row: string;
  readonly level: number;
}
