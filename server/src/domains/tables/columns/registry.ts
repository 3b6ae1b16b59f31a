import type { Column, ColumnTypeName } from "../table.ts";
import { autonumber } from "./autonumber.ts";
import { boolean } from "./boolean.ts";
import type { ColumnType } from "./column-type.ts";
import { date } from "./date.ts";
import { decimal } from "./decimal.ts";
import { enumeration } from "./enum.ts";
import { integer } from "./integer.ts";
import { json } from "./json.ts";
import { multiEnum } from "./multi-enum.ts";
import { reference } from "./reference.ts";
import { text } from "./text.ts";
import { timestamp } from "./timestamp.ts";

/** Every type of column by its name. */
export const TYPES: Readonly<Record<ColumnTypeName, ColumnType>> = {
  text,
  integer,
  decimal,
  boolean,
  date,
  timestamp,
  json,
  enum: enumeration,
  multi_enum: multiEnum,
  reference,
  autonumber,
};

/** What is to be known of a column's type. */
export function typeOf({ type }: Pick<Column, "type">): ColumnType {
  return TYPES[type];
}
