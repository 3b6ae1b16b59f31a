import {
  CELLS_MAX,
  type Cell,
  ROW_CHARACTERS_MAX,
  type RowBatches,
  SourceError,
  type SourceRow,
} from "./source-row.ts";
import { scanPart, type Sheet, type Workbook } from "./workbook.ts";
import { attributeIn } from "./xml-scanner.ts";

const SHEET_BYTES_MAX = 4 * 1024 * 1024 * 1024;
const BATCH_ROWS = 200;
/** More than any spreadsheet has, and within PostgreSQL's integer range. */
const ROW_NUMBER_MAX = 1_000_000_000;
const MS_PER_DAY = 86_400_000;
const EPOCH_1900_MS = Date.UTC(1899, 11, 30);
const EPOCH_1904_MS = Date.UTC(1904, 0, 1);

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
}

/** The rows of a sheet. Formulas have the values stored in the file. */
export async function* readSheet(workbook: Workbook, sheet: Sheet): RowBatches {
  let batch: SourceRow[] = [];
  let cells: Cell[] = [];
  let cell: OpenCell | undefined;
  let [line, value, takes] = [0, "", false];
  let [characters, inBatch] = [0, 0];
  for await (const token of scanPart(workbook.zip, sheet.path, SHEET_BYTES_MAX)) {
    if (token.type === "text") {
      if (takes) value += token.text;
      if (value.length > ROW_CHARACTERS_MAX) throw tooLong(line);
      continue;
    }
    if (token.type === "open") {
      if (token.name === "row") {
        line = numberOfRow(token.attributes, line);
        cells = [];
        characters = 0;
      } else if (token.name === "c") {
        cell = openCell(token.attributes, cells.length);
        value = "";
      } else if (cell && (token.name === "v" || token.name === "t")) takes = !token.isEmpty;
      if (!token.isEmpty) continue;
    }
    if (token.name === "v" || token.name === "t") takes = false;
    else if (token.name === "c" && cell) {
      const read = toCell(workbook, cell, value);
      cells[cell.column] = read;
      cell = undefined;
      if (typeof read === "string") characters += read.length;
      if (characters > ROW_CHARACTERS_MAX) throw tooLong(line);
    } else if (token.name === "row") {
      if (cells.some((each) => each !== undefined && each !== null)) {
        batch.push({ line, cells: Array.from(cells, (each) => each ?? null) });
      }
      inBatch += characters;
      if (batch.length < BATCH_ROWS && inBatch < ROW_CHARACTERS_MAX) continue;
      yield batch;
      [batch, inBatch] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}

/** The declared row number if it is higher than the previous one, so that row numbers are unique. */
function numberOfRow(attributes: string, before: number): number {
  const number = Number(attributeIn(attributes, "r"));
  const isNext = Number.isInteger(number) && number > before && number <= ROW_NUMBER_MAX;
  return isNext ? number : before + 1;
}

function tooLong(line: number): SourceError {
  return new SourceError(`Row ${line} has more than ${ROW_CHARACTERS_MAX} characters.`);
}

function openCell(attributes: string, next: number): OpenCell {
  const letters = /^[A-Z]{1,3}/.exec(attributeIn(attributes, "r") ?? "")?.[0];
  const column = letters === undefined ? next : columnOf(letters);
  if (column >= CELLS_MAX) throw new SourceError(`The sheet has more than ${CELLS_MAX} columns.`);
  return {
    column,
    type: attributeIn(attributes, "t") ?? "n",
    style: Number(attributeIn(attributes, "s") ?? -1),
  };
}

/** The index of a column: `A` is 0, `AA` is 26. */
function columnOf(letters: string): number {
  return Buffer.from(letters).reduce((sum, code) => sum * 26 + code - 64, 0) - 1;
}

function toCell(workbook: Workbook, { type, style }: OpenCell, value: string): Cell {
  if (value === "") return null;
  switch (type) {
    case "s":
      return workbook.texts[Number(value)] ?? null;
    case "b":
      return value === "1";
    case "n": {
      const number = Number(value);
      if (!Number.isFinite(number)) return value;
      const dateStyle = workbook.dateStyles[style];
      return dateStyle === undefined
        ? tidyNumber(number)
        : toTime(number, dateStyle, workbook.startsIn1904);
    }
    case "e":
      // An error such as #DIV/0! is not a value.
      return null;
    default:
      return value;
  }
}

/** Spreadsheets store the exact result of 0.1 + 0.2 and show 15 digits. */
function tidyNumber(number: number): number {
  return Number(number.toPrecision(15));
}

function toTime(days: number, style: "date" | "time", startsIn1904: boolean): string {
  // 1900 was not a leap year, but spreadsheets count its February 29.
  const shift = !startsIn1904 && days < 60 ? 1 : 0;
  const epoch = startsIn1904 ? EPOCH_1904_MS : EPOCH_1900_MS;
  const ms = epoch + Math.round((days + shift) * MS_PER_DAY);
  if (Math.abs(ms) > 8e15) return String(days);
  const text = new Date(ms).toISOString();
  return style === "date" && Number.isInteger(days) ? text.slice(0, 10) : text;
}
