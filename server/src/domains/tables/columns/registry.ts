import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import type { Column, ColumnTypeName } from "../table.ts";
import { email, url } from "./address.ts";
import { autonumber } from "./autonumber.ts";
import { asStored, type ColumnType, type Json } from "./column-type.ts";
import { backlinks, formula, lookup, rollup } from "./relations/computed-column.ts";
import { duration } from "./numbers/duration.ts";
import { file, image } from "./file.ts";
import { enumeration } from "./enum-values.ts";
import { integer } from "./numbers/integer.ts";
import { links } from "./relations/links.ts";
import { multiEnum } from "./multi-enum.ts";
import { checkRange, isBounded, rangeSql, parseInRange } from "./numbers/number-range.ts";
import { reference, user } from "./reference.ts";
import { isStorable, text, UNSTORABLE_MESSAGE } from "./text.ts";
import { timestamp } from "./timestamp.ts";
import { hasText, isTextual, toTextSql } from "./to-text.ts";
import { embedding, vector } from "../vectors/vector-column.ts";

const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

const boolean: ColumnType = {
  summary: "`true` or `false`",
  options: object({}),
  sqlType: () => "boolean",
  parameterType: "boolean",
  parse: (value) =>
    typeof value === "boolean" ? { value } : { error: "must be `true` or `false`" },
  store: (value) => value,
  show: asStored,
  kind: "boolean",
  parseCell: (cell) => BOOLEAN_WORDS.get(cell.trim().toLowerCase()) ?? cell,
  formatCell: String,
  convertFrom(from, _, quoted) {
    if (from.type === "boolean") return quoted;
    // Only 0 and 1 convert; a cast would convert every other number to true.
    if (from.type === "integer") return `${quoted}::text::boolean`;
    return isTextual(from) ? `${toTextSql(from, quoted)}::boolean` : undefined;
  },
};

const DATE_PATTERN = /^(?!0000)\d{4}-\d\d-\d\d$/;
const DATE_PATTERN_SQL = "'^[0-9]{4}-[0-9]{2}-[0-9]{2}$'";

const date: ColumnType = {
  summary:
    "A date, such as `2026-02-28`, in the years 1 to 9999. The default `$now` is the current date in UTC",
  options: object({}),
  sqlType: () => "date",
  parameterType: "date",
  constraint: (_, quoted) => `${quoted} between '0001-01-01' and '9999-12-31'`,
  parse: (value) =>
    typeof value === "string" && isDay(value)
      ? { value }
      : { error: "must be a date in the years 1 to 9999, in the format YYYY-MM-DD" },
  store: (value) => value,
  show: asStored,
  kind: "date",
  parseCell: (cell) => cell.trim(),
  formatCell: String,
  convertFrom(from, _, quoted) {
    if (from.type === "date") return quoted;
    if (from.type === "timestamp") return `(${quoted} at time zone 'UTC')::date`;
    if (!isTextual(from)) return undefined;
    const text = toTextSql(from, quoted);
    // A cast would also accept `tomorrow`, and guess the meaning of 01/02/03.
    return `case when ${text} ~ ${DATE_PATTERN_SQL} then ${text} else 'not a day: ' || ${text} end::date`;
  },
};

function isDay(value: string): boolean {
  if (!DATE_PATTERN.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  // JavaScript parses February 30 as a day in March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

/** The number of significant digits that a JSON number always preserves. */
const DIGITS_MAX = 15;
const SCALE_MAX = 10;
/** Places before and after the point. */
const DECIMAL_PLACES_MAX = 30;

const NUMBER_PATTERN = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,3}))?$/;

const decimal: ColumnType = {
  summary: "A decimal number with up to 15 significant digits, stored exactly",
  options: object({
    scale: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: SCALE_MAX,
        description: "Number of decimal places. Numbers with more are rejected",
      }),
    ),
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
  }),
  check: checkRange,
  sqlType: () => "numeric",
  parameterType: "numeric",
  constraint: (column, quoted) =>
    [
      // NaN and infinity are greater than all numbers.
      `abs(${quoted}) < 1e${DECIMAL_PLACES_MAX}`,
      `length(btrim(replace(abs(${quoted})::text, '.', ''), '0')) <= ${DIGITS_MAX}`,
      `scale(trim_scale(${quoted})) <= ${scaleOf(column.options["scale"])}`,
      ...rangeSql(column, quoted),
    ].join(" and "),
  isEnforced: (column) => isBounded(column) || column.options["scale"] !== undefined,
  parse(value, column) {
    if (typeof value !== "number" && typeof value !== "string") return { error: NOT_A_NUMBER };
    const count = countDigits(String(value).trim());
    if (!count) return { error: NOT_A_NUMBER };
    if (count.digits > DIGITS_MAX) {
      return { error: `must have at most ${DIGITS_MAX} significant digits` };
    }
    if (count.before > DECIMAL_PLACES_MAX || count.after > DECIMAL_PLACES_MAX) {
      return {
        error: `must have at most ${DECIMAL_PLACES_MAX} digits before and after the decimal point`,
      };
    }
    const scale = scaleOf(column.options["scale"]);
    if (count.after > scale) return { error: `must have at most ${scale} decimal places` };
    return parseInRange(Number(value), column);
  },
  store: (value) => value,
  show: Number,
  kind: "number",
  parseCell: (cell) => cell,
  formatCell: (value, column) => formatDecimal(Number(value), column?.options["scale"]),
  convertFrom(from, _, quoted) {
    if (from.type === "decimal" || from.type === "duration") return quoted;
    if (from.type === "integer" || from.type === "autonumber") return `${quoted}::numeric`;
    return isTextual(from) ? `${toTextSql(from, quoted)}::numeric` : undefined;
  },
};

/** Formats with all digits of the column's scale, like the grid. */
function formatDecimal(value: number, scale: unknown): string {
  // From here on JavaScript writes an exponent.
  const isPlain = Math.abs(value) < 1e21;
  return typeof scale === "number" && isPlain ? value.toFixed(scale) : String(value);
}

const NOT_A_NUMBER = "must be a number or a numeric string";

function scaleOf(scale: unknown): number {
  return typeof scale === "number" ? scale : DECIMAL_PLACES_MAX;
}

/** Counts the significant digits, and the places before and after the point. */
function countDigits(text: string) {
  const [, , whole = "", fraction = "", exponent = "0"] = NUMBER_PATTERN.exec(text) ?? [];
  const all = whole + fraction;
  if (all === "") return undefined;
  const leading = /^0*/.exec(all)?.[0].length ?? 0;
  const trailing = leading === all.length ? 0 : (/0*$/.exec(all)?.[0].length ?? 0);
  const digits = all.length - leading - trailing;
  if (digits === 0) return { digits, before: 0, after: 0 };
  const point = whole.length + Number(exponent);
  return { digits, before: point - leading, after: all.length - trailing - point };
}

const JSON_BYTES_MAX = 262_144;
const JSON_DEPTH_MAX = 32;

const json: ColumnType = {
  summary:
    "Any JSON of up to 256 KiB with at most 32 levels of nesting. Filters can use its members",
  options: object({}),
  check: ({ unique }) =>
    unique ? [{ path: "/unique", message: "is not supported for this type" }] : [],
  sqlType: () => "jsonb",
  parameterType: "jsonb",
  // The JSON null is stored as an SQL null.
  constraint: (_, quoted) => `jsonb_typeof(${quoted}) <> 'null'`,
  parse(value) {
    const error = checkJson(value, 1);
    if (error !== undefined) return { error };
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > JSON_BYTES_MAX)
      return { error: `must have at most ${JSON_BYTES_MAX} bytes` };
    // Parsed from the text, because PostgreSQL does not store negative zero.
    return { value: JSON.parse(text) as Json };
  },
  store: (value) => JSON.stringify(value),
  show: asStored,
  kind: "json",
  parseCell: parseJson,
  formatCell: (value) => JSON.stringify(value),
  index: "gin",
  convertFrom(from, _, quoted) {
    if (from.type === "json" || from.type === "vector") return quoted;
    if (from.type === "text") return `${quoted}::jsonb`;
    if (from.type === "decimal") return `to_jsonb(trim_scale(${quoted}))`;
    if (from.type === "timestamp") return `to_jsonb(${toTextSql(from, quoted)})`;
    return hasText(from) ? `to_jsonb(${quoted})` : undefined;
  },
};

/** Invalid JSON becomes undefined, which `parse` rejects. */
function parseJson(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return undefined;
  }
}

function checkJson(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return isStorable(value) ? undefined : UNSTORABLE_MESSAGE;
  if (typeof value === "number") {
    return Number.isFinite(value) ? undefined : "must not contain numbers greater than 1.8e308";
  }
  if (typeof value === "boolean" || value === null) return undefined;
  if (typeof value !== "object") return "must be JSON";
  if (depth > JSON_DEPTH_MAX) return `must have at most ${JSON_DEPTH_MAX} levels of nesting`;
  for (const [key, member] of Object.entries(value)) {
    const error = isStorable(key) ? checkJson(member, depth + 1) : UNSTORABLE_MESSAGE;
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Every type of column by its name. */
export const COLUMN_TYPES_BY_NAME: Readonly<Record<ColumnTypeName, ColumnType>> = {
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
  duration,
  email,
  url,
  user,
  file,
  image,
  links,
  backlinks,
  lookup,
  rollup,
  formula,
  vector,
  embedding,
};

/** Returns whether the values of a column are computed on read. */
export function isComputed(column: Pick<Column, "type">): boolean {
  return columnTypeOf(column).computed === true;
}

export function columnTypeOf({ type }: Pick<Column, "type">): ColumnType {
  return COLUMN_TYPES_BY_NAME[type];
}

/** Parses a value of a type, without a column, into a statement parameter. */
export function parseParameter(type: ColumnTypeName, value: unknown): ParsedParameter {
  const { parse, store } = COLUMN_TYPES_BY_NAME[type];
  const parsed = parse(value, { ...UNLIMITED, type });
  return "error" in parsed ? parsed : { value: store(parsed.value) };
}

export type ParsedParameter = { readonly value: unknown } | { readonly error: string };

/** A column without restrictions beyond its type. */
const UNLIMITED: Omit<Column, "type"> = {
  name: "value",
  title: "Value",
  required: false,
  unique: false,
  indexed: false,
  default: null,
  options: {},
  description: "",
};
