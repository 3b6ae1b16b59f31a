import type { TObject } from "typebox";
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import type { Column } from "../table.ts";

/** A value as the API shows it. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

export type ParsedValue = { readonly value: Json } | { readonly error: string };

/**
 * One type of column: everything that depends on it, in one place. Texts that become SQL are made of
 * constants, numbers and escaped literals only.
 */
export interface ColumnType {
  /** For the description of the API. */
  readonly summary: string;
  /** The schema of `options`. */
  readonly options: TObject;
  /** What is wrong with a column's options or default beyond their schemas; paths are within the column. */
  readonly check?: (
    column: Column,
  ) => readonly { readonly path: string; readonly message: string }[];
  /** True when only the database fills it. */
  readonly generated?: boolean;
  /** The type in `create table`, with its collation or identity clause. */
  readonly sqlType: (column: Column) => string;
  /** What a parameter is cast to in a statement: `text`, `bigint`, `jsonb`. */
  readonly parameterType: string;
  /** A condition that every value meets, on the quoted column. */
  readonly constraint?: (column: Column, quoted: string) => string | undefined;
  /**
   * Whether the database sees to that condition with every write, which costs every write a little. It
   * does where the column's own options say what is allowed: they may change under whoever writes. What
   * follows from the type alone `read` sees to, and the database only where values come from elsewhere.
   */
  readonly isEnforced?: (column: Column) => boolean;
  /** The value that a caller gives, in its one canonical form; never null. */
  readonly parse: (value: unknown, column: Column) => ParsedValue;
  /** The canonical form, as a parameter. */
  readonly store: (value: Json) => unknown;
  /** What the driver returns (timestamptz is ISO text already, bigint a number), in the canonical form. */
  readonly show: (stored: unknown) => Json;
  /** How conditions compare it. */
  readonly kind: ConditionFieldKind;
  /** A cell of a CSV file, as `read` takes it; an empty cell never gets here. */
  readonly parseCell: (cell: string, column: Column) => unknown;
  /** As a cell of a CSV file. */
  readonly formatCell: (value: Json) => string;
  /** The index that serves its filters; a btree of (column, id) where it says nothing. */
  readonly index?: "gin";
  /**
   * The expression that turns a column of another type into this one, given the quoted column;
   * undefined where there is none. It may fail on some data: then the change fails.
   */
  readonly convertFrom: (from: Column, to: Column, quoted: string) => string | undefined;
}
