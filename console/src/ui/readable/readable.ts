/** Formats any value for reading: names with values, lists and tables. JSON is for workflow builders. */
import { toMoment } from "../words.ts";

export type Readable =
  | { readonly kind: "text"; readonly text: string; readonly isLong: boolean }
  | { readonly kind: "none" }
  | { readonly kind: "fields"; readonly fields: readonly ReadableField[] }
  | { readonly kind: "list"; readonly items: readonly Readable[]; readonly more: number }
  | {
      readonly kind: "table";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Readable[])[];
      readonly more: number;
    }
  | { readonly kind: "deep"; readonly value: unknown };

export interface ReadableField {
  readonly name: string;
  readonly value: Readable;
}

const DEPTH_MAX = 3;
const ITEMS_MAX = 20;
const COLUMNS_MAX = 6;
const LONG_CHARACTERS = 80;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Converts `totalAmount` and `total_amount` to `Total amount`. */
export function toFieldName(name: string): string {
  const words = name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replaceAll(/[_.-]+/g, " ")
    .trim();
  const lower = words.replaceAll(/ \p{Lu}(?=\p{Ll})/gu, (letter) => letter.toLowerCase());
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

export function toReadable(value: unknown, depth = 0): Readable {
  if (value === null || value === undefined || value === "") return { kind: "none" };
  if (typeof value === "boolean") return text(value ? "Yes" : "No");
  if (typeof value === "number")
    return text(value.toLocaleString("en", { maximumFractionDigits: 20 }));
  if (typeof value === "string") return text(TIME.test(value) ? toMoment(value) : value);
  if (typeof value !== "object") return { kind: "none" };
  if (depth >= DEPTH_MAX) return { kind: "deep", value };
  return Array.isArray(value) ? toList(value, depth) : toFields(value, depth);
}

const text = (words: string): Readable => ({
  kind: "text",
  text: words,
  isLong: words.length > LONG_CHARACTERS || words.includes("\n"),
});

function toFields(value: object, depth: number): Readable {
  const fields = Object.entries(value).map(([name, part]) => ({
    name: toFieldName(name),
    value: toReadable(part, depth + 1),
  }));
  return fields.length === 0 ? { kind: "none" } : { kind: "fields", fields };
}

function toList(values: readonly unknown[], depth: number): Readable {
  if (values.length === 0) return { kind: "none" };
  const shown = values.slice(0, ITEMS_MAX);
  const more = values.length - shown.length;
  const columns = columnsOf(shown);
  if (columns === undefined) {
    return { kind: "list", items: shown.map((item) => toReadable(item, depth + 1)), more };
  }
  const rows = shown.map((row) =>
    columns.map((column) =>
      toReadable((row as Readonly<Record<string, unknown>>)[column], DEPTH_MAX),
    ),
  );
  return { kind: "table", columns: columns.map(toFieldName), rows, more };
}

/** Returns the columns of a list of similar objects; undefined if it does not fit a table. */
function columnsOf(rows: readonly unknown[]): readonly string[] | undefined {
  const isObjects = rows.every(
    (row) => row !== null && typeof row === "object" && !Array.isArray(row),
  );
  if (!isObjects) return undefined;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row as object)))];
  return names.length === 0 || names.length > COLUMNS_MAX ? undefined : names;
}
