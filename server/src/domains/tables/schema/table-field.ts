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
  /** For a field of a referenced record: the same value by a join, which other fields of that record share. */
  readonly join?: FieldJoin;
}

/** A field of the record that a reference of the row leads to. */
export interface FieldJoin {
  /** That record, after `from`; equal for all fields of it. */
  readonly record: string;
  /** The value there. */
  readonly value: string;
  /** The SQL that shows the value of the joined record. */
  readonly show: (value: string) => string;
}

/** A field of many rows, in one scan of its source records. */
export interface FieldBatch {
  /** A subquery with the columns `k`, the id of the row, and `v`, given a relation of rows and its column of ids. */
  readonly sql: (rows: string, key: string) => string;
  /** A subquery with the same columns for all rows of the table. */
  readonly all: string;
  /** The value for rows without a result. */
  readonly none: string;
}

/** The access rules of a table for one person, in SQL. */
export interface RuleSql {
  /** The condition on visible records; undefined when all are visible. */
  readonly where: string | undefined;
  /** A field as the person sees it, for selecting, comparing and sorting; undefined if it does not exist. */
  readonly field: (name: string) => TableField | undefined;
  /** The condition under which a field of a visible record is visible; undefined when it always is. */
  readonly guard: (name: string) => string | undefined;
  /** True if the field is the column itself, so that its index can be used. */
  readonly isPlain: (name: string) => boolean;
}

/** The relations from a table to those that its fields lead to, for one caller. */
export interface TableRelations {
  readonly related: RelatedTables;
  /** Compiles the rules of another table, on its own row alias. */
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
