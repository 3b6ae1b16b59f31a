import { textFrom } from "./to-text.ts";
import type { ColumnType } from "./column-type.ts";
import { checkValues, EnumOptions, oneOf, valuesOf, valuesSql } from "./enum-values.ts";

export const enumeration: ColumnType = {
  summary: "One of `options.values`",
  options: EnumOptions,
  check: checkValues,
  sqlType: () => 'text collate "C"',
  parameterType: "text",
  constraint: (column, quoted) => `${quoted} = any (${valuesSql(column)})`,
  guarded: () => true,
  read: (value, column) =>
    typeof value === "string" && valuesOf(column).includes(value)
      ? { value }
      : { fault: oneOf(column) },
  store: (value) => value,
  show: (stored) => stored as string,
  kind: "text",
  parse: (cell) => cell,
  format: String,
  // Several become their list as one text, which is hardly ever one of the values.
  convertFrom: (from, _, quoted) =>
    from.type === "multi_enum" ? `array_to_string(${quoted}, ';')` : textFrom(from, quoted),
};
