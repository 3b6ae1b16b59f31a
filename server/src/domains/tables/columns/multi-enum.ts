import type { Column } from "../table.ts";
import { asStored, type ColumnType, type Json } from "./column-type.ts";
import { checkValues, EnumOptions, describeValues, valuesOf, valuesSql } from "./enum-values.ts";

const SEPARATOR = ";";

export const multiEnum: ColumnType = {
  summary: "A list of different values of `options.values`",
  options: EnumOptions,
  check: (column) => [
    ...checkValues(column),
    ...(column.unique ? [{ path: "/unique", message: "is not supported for this type" }] : []),
  ],
  sqlType: () => 'text[] collate "C"',
  parameterType: "text[]",
  constraint: (column, quoted) =>
    `${quoted} <@ ${valuesSql(column)} and coalesce(array_ndims(${quoted}), 1) = 1` +
    ` and cardinality(${quoted}) <= ${valuesOf(column).length}`,
  isEnforced: () => true,
  parse(value, column) {
    if (!Array.isArray(value)) return { error: "must be a list of strings" };
    const list: readonly unknown[] = value;
    const values = valuesOf(column);
    const known = list.every((member) => typeof member === "string" && values.includes(member));
    if (!known) return { error: `each ${describeValues(column)}` };
    if (new Set(list).size < list.length) return { error: "must contain each value once" };
    return { value: list as readonly string[] };
  },
  store: (value) => value,
  show: asStored,
  kind: "texts",
  parseCell: parseList,
  formatCell: formatList,
  index: "gin",
  convertFrom(from, to, quoted) {
    if (from.type === "multi_enum") return quoted;
    if (from.type === "json") return jsonListSql(quoted);
    return from.type === "enum" || from.type === "text" ? splitTextSql(to, quoted) : undefined;
  },
};

/** Splits a text written by `formatList`. Keeps an invalid text, so that the check rejects it. */
function splitTextSql(to: Column, quoted: string): string {
  const parts = `string_to_array(${quoted}, '${SEPARATOR}')`;
  return (
    `case when ${quoted} is null then null ` +
    `when ${parts} <@ ${valuesSql(to)} and ${isDistinctSql(parts)} then ${parts} ` +
    `when ${quoted} like '[%' and ${quoted} <> all (${valuesSql(to)}) ` +
    `then ${jsonListSql(`${quoted}::jsonb`)} else array[${quoted}] end`
  );
}

/**
 * A JSON list of distinct texts. PostgreSQL allows no subquery here, but its array literals have nearly the same
 * syntax as JSON, except for control characters, which values cannot contain.
 */
function jsonListSql(json: string): string {
  const list = `('{' || substr(${json}::text, 2, length(${json}::text) - 2) || '}')::text[]`;
  const unsupported = `'$[*] ? (@.type() != "string" || @ like_regex "[[:cntrl:]]")'`;
  return (
    `case when jsonb_typeof(${json}) = 'array' and not jsonb_path_exists(${json}, ${unsupported}) ` +
    `and ${isDistinctSql(list)} then ${list} else ('not a list: ' || ${json}::text)::text[] end`
  );
}

/** Returns SQL for checking that members are distinct: as object keys, duplicates collapse. */
function isDistinctSql(list: string): string {
  const names = `jsonb_path_query_array(jsonb_object(${list}, ${list}), '$.*')`;
  return `jsonb_array_length(${names}) = cardinality(${list})`;
}

/** Formats `red;green`, or JSON if that would be ambiguous. */
function formatList(value: Json): string {
  const list = value as readonly string[];
  const plain = list.length > 0 && list.every((text) => !text.includes(SEPARATOR));
  const text = list.join(SEPARATOR);
  return plain && !text.startsWith("[") ? text : JSON.stringify(list);
}

function parseList(cell: string): unknown {
  if (cell.trimStart().startsWith("[")) {
    try {
      return JSON.parse(cell);
    } catch {
      // Not JSON, but a value that starts with a bracket.
    }
  }
  return cell.split(SEPARATOR).map((text) => text.trim());
}
