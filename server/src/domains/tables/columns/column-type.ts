import type { TObject } from "typebox";
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import type { Column } from "../table.ts";

export const ON_DELETE = ["restrict", "set_null", "cascade"] as const;
export type OnDelete = (typeof ON_DELETE)[number];

/** A value in API form. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A value in canonical form, or an error. */
export type ParsedValue = { readonly value: Json } | { readonly error: string };

/**
 * A column type: everything that depends on it, in one place. Its SQL consists of constants, numbers and escaped
 * literals only.
 */
export interface ColumnType {
  /** For the description of the API. */
  readonly summary: string;
  /** The schema of `options`. */
  readonly options: TObject;
  /** Checks a column's options and default beyond their schemas; paths are within the column. */
  readonly check?: (
    column: Column,
  ) => readonly { readonly path: string; readonly message: string }[];
  /** True if it is computed from other fields on every read, and not stored. */
  readonly computed?: boolean;
  /** True when only the database fills it. */
  readonly generated?: boolean;
  /** The type in `create table`, with its collation or identity clause. */
  readonly sqlType: (column: Column) => string;
  /** The cast of a parameter in a statement: `text`, `bigint`, `jsonb`. */
  readonly parameterType: string;
  /** A condition that every value meets, on the quoted column. */
  readonly constraint?: (column: Column, quoted: string) => string | undefined;
  /**
   * True if the database enforces the condition on every write, at a small cost. This applies to limits set in
   * column options, because these may change during a write. Limits of the type itself are enforced by `parse`, and
   * by the database only if values come from SQL.
   */
  readonly isEnforced?: (column: Column) => boolean;
  /** Parses a value of a request; null is handled before. */
  readonly parse: (value: unknown, column: Column) => ParsedValue;
  /** The canonical form, as a parameter. */
  readonly store: (value: Json) => unknown;
  /** The canonical form of a value from the driver (timestamptz is ISO text already, bigint a number). */
  readonly show: (stored: unknown) => Json;
  /** How conditions compare it. */
  readonly kind: ConditionFieldKind;
  /** Converts a CSV cell for `parse`; empty cells are handled before. */
  readonly parseCell: (cell: string, column: Column) => unknown;
  /** Formats a value as a CSV cell. */
  readonly formatCell: (value: Json, column?: Column) => string;
  /** The type of index for its filters; by default a btree on (column, id). */
  readonly index?: "gin";
  /**
   * Converts a quoted column from another type, or returns undefined if not supported. The conversion can fail
   * for some data; the change then fails.
   */
  readonly convertFrom: (from: Column, to: Column, quoted: string) => string | undefined;
}

/** A column with its type resolved. */
export interface ColumnSchema extends Column {
  readonly columnType: ColumnType;
  /** Its name as a quoted identifier. */
  readonly quoted: string;
  /** The slug of the table whose records it refers to; undefined for any other column. */
  readonly target: string | undefined;
  /** The slug of the table whose records it lists; undefined for any other column. */
  readonly linkTarget: string | undefined;
  readonly refersToUsers: boolean;
  /** The fate of a reference whose record is deleted. */
  readonly onDelete: OnDelete;
}

/** Returns a value that the driver already provides in API form. */
export const asStored = (stored: unknown): Json => stored as Json;
