/** Text columns for e-mail addresses and URLs. */
import { object } from "#kernel/schema/schema.ts";
import type { Column } from "../table.ts";
import { asStored, type ColumnType } from "./column-type.ts";
import { isStorable, UNSTORABLE_MESSAGE } from "./text.ts";
import { isTextual, toTextSql } from "./to-text.ts";

const EMAIL_CHARACTERS_MAX = 254;
const URL_CHARACTERS_MAX = 2_000;
/** Limited because an index entry has at most 2,704 bytes, and a character up to four. */
const INDEXED_CHARACTERS_MAX = 600;

const EMAIL = /^[^\s@<>",;:()[\]\\]{1,64}@[^\s@<>",;:()[\]\\.]+(?:\.[^\s@<>",;:()[\]\\.]+)+$/;

/** The part that both have in common. */
const address = {
  options: object({}),
  sqlType: () => 'text collate "C"',
  parameterType: "text",
  store: (value) => value,
  show: asStored,
  kind: "text",
  parseCell: (cell) => cell.trim(),
  formatCell: String,
  convertFrom: (from, _, quoted) =>
    isTextual(from) || from.type === "email" || from.type === "url"
      ? `nullif(btrim(${toTextSql(from, quoted)}), '')`
      : undefined,
} as const satisfies Partial<ColumnType>;

export const email: ColumnType = {
  ...address,
  summary: "An e-mail address, such as `ada@example.com`; the case of the domain is ignored",
  constraint: (_, quoted) =>
    `${quoted} ~ '^[^[:space:]@]+@[^[:space:]@]+[.][^[:space:]@]+$' ` +
    `and char_length(${quoted}) <= ${EMAIL_CHARACTERS_MAX}`,
  parse(value) {
    if (typeof value === "string" && !isStorable(value)) return { error: UNSTORABLE_MESSAGE };
    const isAddress =
      typeof value === "string" && value.length <= EMAIL_CHARACTERS_MAX && EMAIL.test(value);
    if (!isAddress) return { error: "must be an e-mail address, such as ada@example.com" };
    const at = value.lastIndexOf("@");
    return { value: value.slice(0, at) + value.slice(at).toLowerCase() };
  },
};

export const url: ColumnType = {
  ...address,
  summary: "A URL that begins with `https://` or `http://`",
  constraint: (column, quoted) =>
    `${quoted} ~* '^https?://[^[:space:]]+$' and char_length(${quoted}) <= ${lengthMax(column)}`,
  isEnforced: ({ indexed, unique }) => indexed || unique,
  parse(value, column) {
    if (typeof value === "string" && !isStorable(value)) return { error: UNSTORABLE_MESSAGE };
    if (typeof value !== "string" || !/^https?:\/\/\S+$/i.test(value) || !URL.canParse(value)) {
      return { error: "must be a URL, such as https://example.com/page" };
    }
    const max = lengthMax(column);
    return value.length <= max ? { value } : { error: `must have at most ${max} characters` };
  },
};

function lengthMax({ indexed, unique }: Column): number {
  return indexed || unique ? INDEXED_CHARACTERS_MAX : URL_CHARACTERS_MAX;
}
