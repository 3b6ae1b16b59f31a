import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import { isTextual, toTextSql } from "../to-text.ts";
import { asStored, type ColumnType } from "../column-type.ts";
import { checkRange, isBounded, rangeSql, parseInRange } from "./number-range.ts";

const Bound = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
});

const INTEGER_PATTERN = /^[+-]?\d{1,16}$/;

/** Beyond these limits a JSON number is not exact. */
export function safeIntegerSql(quoted: string): string {
  return `${quoted} between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
}

export const integer: ColumnType = {
  summary:
    "A whole number from -9,007,199,254,740,991 to 9,007,199,254,740,991, the exact range of JSON",
  options: object({ min: Type.Optional(Bound), max: Type.Optional(Bound) }),
  check: checkRange,
  sqlType: () => "bigint",
  parameterType: "bigint",
  constraint: (column, quoted) =>
    [safeIntegerSql(quoted), ...rangeSql(column, quoted)].join(" and "),
  isEnforced: isBounded,
  parse: (value, column) =>
    Number.isSafeInteger(value)
      ? parseInRange(value as number, column)
      : { error: "must be a whole number from -9007199254740991 to 9007199254740991" },
  store: (value) => value,
  show: asStored,
  kind: "number",
  parseCell: (cell) => (INTEGER_PATTERN.test(cell.trim()) ? Number(cell) : cell),
  formatCell: String,
  convertFrom(from, _, quoted) {
    if (from.type === "integer" || from.type === "autonumber") return quoted;
    if (from.type === "boolean") return `${quoted}::integer::bigint`;
    // A cast would round; a text with a fraction is rejected.
    if (from.type === "decimal" || from.type === "duration") {
      return `case when ${quoted} = trunc(${quoted}) then ${quoted}::bigint else ${quoted}::text::bigint end`;
    }
    return isTextual(from) ? `${toTextSql(from, quoted)}::bigint` : undefined;
  },
};
