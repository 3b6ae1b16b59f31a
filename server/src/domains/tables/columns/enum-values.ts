import pg from "pg";
import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import type { Column } from "../table.ts";
import { asStored, type ColumnType } from "./column-type.ts";
import { isStorable } from "./text.ts";
import { hasText, toTextSql } from "./to-text.ts";

/** A list of texts as a literal of PostgreSQL, without its quotes. */
export function toArrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

const VALUES_MAX = 200;
const VALUE_LENGTH_MAX = 200;

/** The options of an enum column. */
export const EnumOptions = object({
  values: Type.Array(Type.String({ minLength: 1, maxLength: VALUE_LENGTH_MAX }), {
    minItems: 1,
    maxItems: VALUES_MAX,
    description: "The values, each a single line of text",
  }),
});

/** The values of a validated column. */
export function valuesOf({ options: { values } }: Column): readonly string[] {
  return Array.isArray(values) ? (values as string[]) : [];
}

/** Checks the values beyond their schema. */
export function checkValues(column: Column) {
  const values = valuesOf(column);
  return values.flatMap((value, index) => {
    const path = `/options/values/${index}`;
    if (!isStorable(value) || /\p{Cc}/u.test(value)) {
      return [{ path, message: "must be one line of text" }];
    }
    if (value.trim() !== value) return [{ path, message: "must not begin or end with a space" }];
    return values.indexOf(value) < index ? [{ path, message: "already exists" }] : [];
  });
}

/**
 * The values as one literal: PostgreSQL parses a check for each statement, and parses a literal faster than a list.
 */
export function valuesSql(column: Column): string {
  return `${pg.escapeLiteral(toArrayLiteral(valuesOf(column)))}::text[]`;
}

/** The values as text, for an error message. */
export function describeValues(column: Column): string {
  const values = valuesOf(column);
  const listed = values.slice(0, LISTED_VALUES_MAX).join(", ");
  return `must be one of ${listed}${values.length > LISTED_VALUES_MAX ? ", …" : ""}`;
}

const LISTED_VALUES_MAX = 20;

export const enumeration: ColumnType = {
  summary: "One of `options.values`",
  options: EnumOptions,
  check: checkValues,
  sqlType: () => 'text collate "C"',
  parameterType: "text",
  constraint: (column, quoted) => `${quoted} = any (${valuesSql(column)})`,
  isEnforced: () => true,
  parse: (value, column) =>
    typeof value === "string" && valuesOf(column).includes(value)
      ? { value }
      : { error: describeValues(column) },
  store: (value) => value,
  show: asStored,
  kind: "text",
  parseCell: (cell) => cell,
  formatCell: String,
  // A list becomes one text, which is unlikely to be a valid value.
  convertFrom: (from, _, quoted) =>
    from.type === "multi_enum"
      ? `array_to_string(${quoted}, ';')`
      : hasText(from)
        ? toTextSql(from, quoted)
        : undefined,
};
