/** Converts a cell to the input format of a table column. */
import type { ColumnSchema, ColumnTypeName } from "#domains/tables/index.ts";
import type { Cell } from "../source/source-row.ts";
import { type DateOrder, parseDay, parseTimeOfDay } from "./date-style.ts";
import { type DecimalMark, parseNumber } from "./number-style.ts";
import { isEmptyWord, parseTruth } from "./words.ts";

export interface CellStyle {
  readonly dateOrder: DateOrder;
  readonly decimalMark: DecimalMark;
}

/** Null for an empty cell. Unparsable texts are passed unchanged, so that the column rejects them. */
export function convertCell(cell: Cell, column: ColumnSchema, style: CellStyle): unknown {
  if (cell === null || cell === "") return null;
  const { type } = column;
  if (typeof cell !== "string") return convertTyped(cell, column);
  if (type === "text") return cell;
  const text = cell.trim();
  if (text === "" || (type !== "enum" && isEmptyWord(text))) return null;
  const convert = CONVERTERS[type];
  return convert ? convert(text, style) : column.columnType.parseCell(text, column);
}

const CONVERTERS: Readonly<
  Partial<Record<ColumnTypeName, (text: string, style: CellStyle) => string | number | boolean>>
> = {
  integer: (text, { decimalMark }) => {
    const number = parseNumber(text, decimalMark);
    return number === undefined ? text : Number(number);
  },
  decimal: (text, { decimalMark }) => parseNumber(text, decimalMark) ?? text,
  date: (text, { dateOrder }) =>
    parseDay(text, dateOrder) ?? parseTimeOfDay(text, dateOrder)?.slice(0, 10) ?? text,
  timestamp: (text, { dateOrder }) => parseTimeOfDay(text, dateOrder) ?? text,
  boolean: (text) => parseTruth(text) ?? text,
};

/** The value of a text in a column of a type. Undefined if it can't be parsed. */
export function convertText(
  text: string,
  type: ColumnTypeName,
  style: CellStyle,
): string | undefined {
  if (isEmptyWord(text)) return "";
  const value = CONVERTERS[type]?.(text.trim(), style);
  return value === undefined ? undefined : String(value);
}

function convertTyped(cell: number | boolean, column: ColumnSchema): unknown {
  const { type, columnType } = column;
  if (type === "boolean" && typeof cell === "number")
    return cell === 1 ? true : cell === 0 ? false : cell;
  if (
    type === "integer" ||
    type === "decimal" ||
    type === "duration" ||
    type === "boolean" ||
    type === "json"
  )
    return cell;
  return type === "text" ? String(cell) : columnType.parseCell(String(cell), column);
}
