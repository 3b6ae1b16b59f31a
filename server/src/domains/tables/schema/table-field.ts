/** Fields of a table in SQL, as one caller sees them. */
import type { ConditionField } from "#kernel/condition/sql.ts";
import type { SqlParameters } from "#kernel/db/statement.ts";
import type { Json } from "../columns/column-type.ts";
import type { RelatedTables } from "./field-type.ts";
import type { Grants } from "./grants.ts";
import type { TableSchema } from "./table-schema.ts";

/** A field in SQL. One that is not stored also says how its values are shown. */
export interface TableField extends ConditionField {
  readonly show?: (stored: unknown) => Json;
  /** Of a figure over other records: the same for many rows at once, where that is possible. */
  readonly batch?: FieldBatch;
  /** Of a field of the record that a reference leads to: the same by a join, which other fields of it share. */
  readonly join?: FieldJoin;
}

/** A field of the one record that a reference of the row leads to. */
export interface FieldJoin {
  /** That record, after `from`; equal for all fields of it. */
  readonly record: string;
  /** The value there. */
  readonly value: string;
  /** The part of it that the row shows. */
  readonly show: (value: string) => string;
}

/** A field of many rows, in one scan of the records that it is worked out from. */
export interface FieldBatch {
  /** A subquery with the columns `k`, the id of the row, and `v`, given a relation of rows and its column of ids. */
  readonly sql: (rows: string, key: string) => string;
  /** A subquery with those columns for all rows of the table. */
  readonly all: string;
  /** The value of a row that it has nothing for. */
  readonly none: string;
}

/** The rules of a table for one person, in SQL. */
export interface RuleSql {
  /** The condition on visible records; undefined when all are visible. */
  readonly where: string | undefined;
  /** A field as the person sees it, to be selected, compared and sorted by; undefined when there is none. */
  readonly field: (name: string) => TableField | undefined;
  /** The condition under which a field of a visible record is visible; undefined when it always is. */
  readonly guard: (name: string) => string | undefined;
  /** True when the field is the column itself, so that an index on it serves. */
  readonly isPlain: (name: string) => boolean;
}

/** The way from a table to those that its fields lead to, for one caller. */
export interface TableRelations {
  readonly related: RelatedTables;
  /** Compiles the rules of another table, on a row of its own. */
  readonly compile: (
    table: TableSchema,
    grants: Grants,
    parameters: SqlParameters,
    relations: TableRelations,
  ) => RuleSql;
  /** The grants of the caller to read a table. */
  readonly grants: (table: TableSchema) => Grants;
  /** A table after `from`, as the role of the statement may read it. */
  readonly from: (table: TableSchema) => string;
  /** The name of the row in the statement, from where a subquery can still name it. */
  readonly row: string;
  readonly level: number;
}
