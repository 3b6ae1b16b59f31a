/** Formats and parses cell values for display, typing and pasting. */
import { count } from "../../ui/words.ts";
import { choicesOf, type GridColumn, isFiles, linkTargetOf, targetOf } from "./column.ts";
import { readDuration, toClock } from "./duration.ts";

export type NameOf = (id: string) => string | undefined;

const dates = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const times = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const numbers = new Map<number, Intl.NumberFormat>();

/** Formats a cell as text. */
export function toText(column: GridColumn, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return "";
  if (isFiles(column) && Array.isArray(value)) return count(value.length, "file");
  if (column.type === "vector" && Array.isArray(value)) return count(value.length, "number");
  if (Array.isArray(value)) return value.map((one) => wordOf(column, one, nameOf)).join(", ");
  return wordOf(column, value, nameOf);
}

function wordOf(column: GridColumn, value: unknown, nameOf: NameOf): string {
  if (typeof value === "object" && value !== null) return nameIn(value) ?? JSON.stringify(value);
  if (typeof value === "number") return toNumber(column, value);
  if (typeof value === "boolean") return value ? "Yes" : "No";
  const text = String(value);
  if (column.type === "date") return toDate(text);
  if (column.type === "timestamp") return toTime(text);
  if (isNamed(column)) return nameOf(text) ?? text;
  return text;
}

/** Returns whether the column's values are ids of records with names. */
const isNamed = (column: GridColumn): boolean =>
  targetOf(column) !== undefined || linkTargetOf(column) !== undefined;

function toNumber(column: GridColumn, value: number): string {
  if (column.type === "duration") return toClock(value);
  if (column.type === "autonumber") return String(value);
  const { scale } = column.options;
  const digits = typeof scale === "number" ? scale : 0;
  let format = numbers.get(digits);
  if (!format) {
    const most = Math.max(digits, 10);
    format = new Intl.NumberFormat("en", {
      minimumFractionDigits: digits,
      maximumFractionDigits: most,
    });
    numbers.set(digits, format);
  }
  return format.format(value);
}

function toDate(text: string): string {
  const at = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at) ? text : dates.format(at);
}

function toTime(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? text : times.format(at);
}

/** Returns the first text of a referenced record or person, to show instead of the id. */
export function nameIn(value: object): string | undefined {
  const named = Object.entries(value).find(
    ([name, text]) => !UNNAMED.has(name) && typeof text === "string" && text !== "",
  );
  return named?.[1] as string | undefined;
}

const UNNAMED = new Set(["id", "createdAt", "updatedAt", "createdBy"]);

/** Formats a cell for spreadsheets; `parseText` returns the same value. */
export function toPlain(column: GridColumn, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => plainOf(column, one, nameOf)).join("; ");
  return plainOf(column, value, nameOf);
}

function plainOf(column: GridColumn, value: unknown, nameOf: NameOf): string {
  if (typeof value === "object" && value !== null) return nameIn(value) ?? JSON.stringify(value);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (column.type === "duration" && typeof value === "number") return toClock(value);
  const text = String(value);
  return isNamed(column) ? (nameOf(text) ?? text) : text;
}

export type Parsed = { readonly value: unknown } | { readonly error: string };

/** The order of the numbers in `03/04/2026`: day or month first. */
export type DateOrder = "dmy" | "mdy";

/** Parses typed or pasted text. Rules that only the server can check are not checked here. */
export function parseText(column: GridColumn, text: string, order?: DateOrder): Parsed {
  if (column.readOnly !== undefined) return { error: column.readOnly };
  const trimmed = text.trim();
  if (trimmed === "") {
    return column.isRequired
      ? { error: "Enter a value. This column is required." }
      : { value: null };
  }
  switch (column.type) {
    case "integer":
      return parseNumber(column, trimmed, true);
    case "decimal":
      return parseNumber(column, trimmed, false);
    case "duration":
      return parseDuration(trimmed);
    case "email":
      return parseAddress(trimmed, EMAIL, "an e-mail address. Example: ada@example.com");
    case "url":
      return parseAddress(trimmed, URL_START, "a URL. Example: https://example.com");
    case "links":
      return parseLinks(trimmed);
    case "boolean":
      return parseBoolean(trimmed);
    case "date":
      return parseDate(trimmed, order);
    case "timestamp":
      return parseTime(trimmed, order);
    case "enum":
      return parseChoice(column, trimmed);
    case "multi_enum":
      return parseChoices(column, trimmed);
    case "json":
      return parseJson(trimmed);
    default:
      return parsePlain(column, column.type === "text" ? text : trimmed);
  }
}

function parsePlain({ options: { maxLength } }: GridColumn, text: string): Parsed {
  return typeof maxLength === "number" && text.length > maxLength
    ? { error: `Enter at most ${maxLength} characters.` }
    : { value: text };
}

function parseDuration(text: string): Parsed {
  const value = readDuration(text);
  return value === undefined
    ? { error: `“${text}” is not a duration. Examples: 1:30:00, 1h 30m` }
    : { value };
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const URL_START = /^https?:\/\/\S+$/i;

function parseAddress(text: string, pattern: RegExp, words: string): Parsed {
  return pattern.test(text) ? { value: text } : { error: `“${text}” is not ${words}` };
}

/** Parses ids only; callers look up names first. */
function parseLinks(text: string): Parsed {
  const ids = text.split(/[;,\s]+/).filter(Boolean);
  const other = ids.find((id) => !id.startsWith("rec_"));
  return other === undefined
    ? { value: [...new Set(ids)] }
    : { error: `No record found for “${other}”.` };
}

/** Accepts `1,234.50`, `1.234,50`, `1 234.5`, `€ 12` and `12 %`. */
export function readNumber(text: string): number | undefined {
  const bare = text.replaceAll(/[\s'’\u00A0\u202F€$£%]/g, "");
  const [comma, dot] = [bare.lastIndexOf(","), bare.lastIndexOf(".")];
  // The last separator is the decimal one; a single comma before three digits separates thousands.
  const isCommaDecimal = comma > dot && !(dot < 0 && /^-?\d{1,3}(,\d{3})+$/.test(bare));
  const plain = isCommaDecimal
    ? bare.replaceAll(".", "").replace(",", ".")
    : bare.replaceAll(",", "");
  const value = Number(plain);
  return plain === "" || Number.isNaN(value) ? undefined : value;
}

function parseNumber(
  { options: { min, max } }: GridColumn,
  text: string,
  isWhole: boolean,
): Parsed {
  const value = readNumber(text);
  if (value === undefined) return { error: `“${text}” is not a number.` };
  if (isWhole && !Number.isInteger(value)) return { error: "Enter a whole number." };
  if (typeof min === "number" && value < min)
    return { error: `Enter a number of at least ${min}.` };
  if (typeof max === "number" && value > max) return { error: `Enter a number of at most ${max}.` };
  return { value };
}

function parseBoolean(text: string): Parsed {
  if (/^(true|yes|y|1|x|✓|ja|oui|si|sì)$/i.test(text)) return { value: true };
  if (/^(false|no|n|0|nein|non)$/i.test(text)) return { value: false };
  return { error: `“${text}” is not a yes/no value. Enter yes or no.` };
}

const ISO_DAY = /^(-?\d{4,6})-(\d{1,2})-(\d{1,2})/;
const DOTTED_DAY = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})/;

/** Returns the orders in which a text such as `03/04/2026` is a valid date; undefined if the format is unambiguous. */
export function ordersOf(text: string): ReadonlySet<DateOrder> | undefined {
  const [, first, mark, second, year] = SLASHED_DAY.exec(text.trim()) ?? [];
  if (mark === undefined || first === second) return undefined;
  const orders = new Set<DateOrder>();
  if (toDay(year, second, first) !== undefined) orders.add("dmy");
  if (toDay(year, first, second) !== undefined) orders.add("mdy");
  return orders;
}

const SLASHED_DAY = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})/;

/** Parses `2026-11-15`, `15.11.2026` and `15 Nov 2026`. Without an order, a number above twelve is the day. */
export function readDay(text: string, order?: DateOrder): string | undefined {
  const iso = ISO_DAY.exec(text);
  if (iso) return toDay(iso[1], iso[2], iso[3]);
  const dotted = DOTTED_DAY.exec(text);
  if (dotted) {
    const [, first, second, year] = dotted;
    if (order === "mdy" && !text.includes(".")) return toDay(year, first, second);
    if (order !== undefined) return toDay(year, second, first);
    return Number(second) > 12 ? toDay(year, first, second) : toDay(year, second, first);
  }
  // Browsers parse nearly any word with a number as a date, so only month names are accepted.
  const [, day, first, year] = NAMED_DAY.exec(text) ?? [];
  const month = MONTHS.indexOf((first ?? "").toLowerCase());
  return month < 0 ? undefined : toDay(year, String(month + 1), day);
}

const NAMED_DAY = /^(\d{1,2})\.?[\s-]([a-z]{3})[a-z]*\.?[\s-](\d{4})/i;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

function toDay(year = "", month = "", day = ""): string | undefined {
  const text = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text ? text : undefined;
}

function parseDate(text: string, order?: DateOrder): Parsed {
  const value = readDay(text, order);
  return value === undefined
    ? { error: `“${text}” is not a date. Example: 2026-11-15` }
    : { value };
}

function parseTime(text: string, order?: DateOrder): Parsed {
  const day = readDay(text, order);
  const clock = /(\d{1,2}):(\d{2})(?::(\d{2}))?/.exec(text);
  const isWhole = /T.*(Z|[+-]\d{2}:?\d{2})$/.test(text);
  const at = isWhole
    ? Date.parse(text)
    : day === undefined
      ? Number.NaN
      : Date.parse(`${day}T${clock ? clock[0].padStart(5, "0") : "00:00"}`);
  return Number.isNaN(at)
    ? { error: `“${text}” is not a date and time. Example: 2026-11-15 14:30` }
    : { value: new Date(at).toISOString() };
}

function parseChoice(column: GridColumn, text: string): Parsed {
  const known = findChoice(column, text);
  return known === undefined ? { error: notAChoice(column, text) } : { value: known };
}

function findChoice(column: GridColumn, text: string): string | undefined {
  const values = choicesOf(column);
  const wanted = text.toLowerCase();
  return values.find((one) => one === text) ?? values.find((one) => one.toLowerCase() === wanted);
}

function notAChoice(column: GridColumn, text: string): string {
  return `“${text}” is not an option. Options: ${choicesOf(column).slice(0, 8).join(", ")}.`;
}

function parseChoices(column: GridColumn, text: string): Parsed {
  const parts = text
    .split(/[;,\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
  const found = parts.map((part) => findChoice(column, part) ?? part);
  const unknown = found.find((part) => !choicesOf(column).includes(part));
  return unknown === undefined
    ? { value: [...new Set(found)] }
    : { error: notAChoice(column, unknown) };
}

function parseJson(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { error: "This is not valid JSON." };
  }
}

/** Returns whether two cell values are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** Converts any value to text. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
