import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import type { Column } from "../table.ts";
import { asStored, type ColumnType } from "./column-type.ts";
import { integer, safeIntegerSql } from "./numbers/integer.ts";

/** Leaves room for as many numbers again. */
const START_NUMBER_MAX = 4_503_599_627_370_496;

export const autonumber: ColumnType = {
  summary:
    "A number that counts up from `options.start`, unique for each record; numbers can be skipped",
  options: object({
    start: Type.Optional(
      Type.Integer({ minimum: 0, maximum: START_NUMBER_MAX, description: "Default: 1" }),
    ),
  }),
  generated: true,
  sqlType: (column) =>
    `bigint generated always as identity (minvalue 0 start with ${startOf(column) ?? 1})`,
  parameterType: "bigint",
  constraint: (_, quoted) => safeIntegerSql(quoted),
  parse: () => ({ error: "is set by the platform" }),
  store: (value) => value,
  show: asStored,
  kind: "number",
  parseCell: (cell) => cell,
  formatCell: String,
  // After a change of type, the counter continues from the greatest existing number.
  convertFrom: (from, to, quoted) =>
    from.type === "boolean" || from.type === "duration"
      ? undefined
      : integer.convertFrom(from, to, quoted),
};

/** The first number; undefined for other column types. */
export function startOf({ type, options: { start } }: Column): number | undefined {
  if (type !== "autonumber") return undefined;
  return typeof start === "number" ? start : 1;
}
