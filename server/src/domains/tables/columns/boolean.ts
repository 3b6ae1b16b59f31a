import { object } from "#kernel/schema/schema.ts";
import { isTextual, textFrom } from "./to-text.ts";
import type { ColumnType } from "./column-type.ts";

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

export const boolean: ColumnType = {
  summary: "`true` or `false`",
  options: object({}),
  sqlType: () => "boolean",
  parameterType: "boolean",
  read: (value) =>
    typeof value === "boolean" ? { value } : { fault: "must be `true` or `false`" },
  store: (value) => value,
  show: (stored) => stored as boolean,
  kind: "boolean",
  parse: (cell) => WORDS.get(cell.trim().toLowerCase()) ?? cell,
  format: String,
  convertFrom(from, _, quoted) {
    if (from.type === "boolean") return quoted;
    // Only 0 and 1 are read as one; a cast would take every other number for true.
    if (from.type === "integer") return `${quoted}::text::boolean`;
    return isTextual(from) ? `${textFrom(from, quoted)}::boolean` : undefined;
  },
};
