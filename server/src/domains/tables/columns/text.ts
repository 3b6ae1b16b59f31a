import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import type { Column } from "../table.ts";
import { hasText, toTextSql } from "./to-text.ts";
import { asStored, type ColumnType } from "./column-type.ts";

const LENGTH_DEFAULT = 10_000;
const LENGTH_MAX = 1_000_000;
/** Limited because an index entry has at most 2,704 bytes, and a character up to four. */
const INDEXED_LENGTH_MAX = 600;

const TextOptions = object({
  maxLength: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LENGTH_MAX,
      description: `In characters. Default: ${LENGTH_DEFAULT}. For an indexed or unique column: at most ${INDEXED_LENGTH_MAX}`,
    }),
  ),
  search: Type.Optional(
    Type.Boolean({
      description:
        "Whether `q` of the list searches this column with an index. Then it searches only such columns, best matches first",
    }),
  ),
  multiline: Type.Optional(
    Type.Boolean({ description: "Whether the text can have several lines" }),
  ),
});

export const text: ColumnType = {
  summary: "Text of up to `options.maxLength` characters",
  options: TextOptions,
  check: (column) =>
    isIndexed(column) && lengthMax(column) > INDEXED_LENGTH_MAX
      ? [
          {
            path: "/options/maxLength",
            message: `must be at most ${INDEXED_LENGTH_MAX} for an indexed or unique column`,
          },
        ]
      : [],
  sqlType: () => 'text collate "C"',
  parameterType: "text",
  constraint: (column, quoted) => `char_length(${quoted}) <= ${lengthMax(column)}`,
  isEnforced: (column) => isIndexed(column) || column.options["maxLength"] !== undefined,
  parse(value, column) {
    if (typeof value !== "string") return { error: "must be a string" };
    if (!isStorable(value)) return { error: UNSTORABLE_MESSAGE };
    const max = lengthMax(column);
    if (isLongerThan(value, max)) return { error: `must have at most ${max} characters` };
    return { value };
  },
  store: (value) => value,
  show: asStored,
  kind: "text",
  parseCell: (cell) => cell,
  formatCell: String,
  convertFrom: (from, _, quoted) => (hasText(from) ? toTextSql(from, quoted) : undefined),
};

/** A `tsvector` in the index is limited to one megabyte. */
const WORDS_CHARACTERS_MAX = 100_000;

/**
 * Returns SQL for the words of a text, using the same expression as the index. Words are not stemmed because
 * the language is unknown.
 */
export function wordsSql(sql: string): string {
  return `to_tsvector('simple'::regconfig, left(${sql}, ${WORDS_CHARACTERS_MAX}))`;
}

/** Returns whether a text column has a word index. */
export function isSearched({ type, options }: Pick<Column, "type" | "options">): boolean {
  return type === "text" && options["search"] === true;
}

/** The error of a text that is not storable. */
export const UNSTORABLE_MESSAGE = "must not contain NUL characters or unpaired surrogates";

/** Returns whether both PostgreSQL and JSON can store a text: without NUL and lone surrogates. */
export function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes("\0");
}

/** Compares the length in characters, as PostgreSQL counts them; most texts need no count. */
function isLongerThan(value: string, max: number): boolean {
  if (value.length <= max) return false;
  let surrogates = 0;
  for (let index = 0; index < value.length; index += 1) {
    if ((value.charCodeAt(index) & 0xfc00) === 0xdc00) surrogates += 1;
  }
  return value.length - surrogates > max;
}

function lengthMax(column: Column): number {
  const { maxLength } = column.options;
  if (typeof maxLength === "number") return maxLength;
  return isIndexed(column) ? INDEXED_LENGTH_MAX : LENGTH_DEFAULT;
}

function isIndexed({ indexed, unique }: Column): boolean {
  return indexed || unique;
}
