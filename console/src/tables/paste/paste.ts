/** Computes the changes of a paste and finds read-only cells before sending. */
import { type Change, NO_CHANGE, type PlacedRow, type CellSet } from "../book/change.ts";
import { findMissing } from "../book/send-change.ts";
import type { Cells } from "../../ui/readable/cells.ts";
import { count } from "../../ui/words.ts";
import type { GridColumn } from "../column/column.ts";
import { type DateOrder, isSame, ordersOf, type Parsed, parseText } from "../column/value.ts";
import { rowOnLine, setOf, type Sheet } from "../sheet/cell-acts.ts";
import { boxOf, type Range } from "../sheet/cell-range.ts";
import { type FindId, splitNames } from "./find-references.ts";

/** Cells that can't be written, and why. */
export interface Problem {
  /** The row number in the grid; undefined for a whole column. */
  readonly row: number | undefined;
  readonly column: string;
  readonly text: string;
  readonly message: string;
  readonly cells: number;
}

export interface Paste {
  readonly change: Change;
  readonly problems: readonly Problem[];
  readonly range: Range;
}

export interface PasteOptions {
  /** All columns of the table: a new record needs the required ones, even if they are hidden. */
  readonly all: readonly GridColumn[];
  readonly findId: FindId;
  readonly newId: () => string;
  /** Why records can't be added; undefined if they can. */
  readonly noCreate: string | undefined;
  readonly order: DateOrder | undefined;
}

/** Returns the lines of records from `top`, at most `height`. */
export function linesFrom({ rows }: Sheet, top: number, height: number): readonly number[] {
  const lines: number[] = [];
  for (let line = top; line < rows.count && lines.length < height; line += 1) {
    if (rows.placeAt(line) !== undefined) lines.push(line);
  }
  return lines;
}

/** Returns a date with ambiguous day and month order; undefined if all dates are unambiguous. */
export function findOpenDate(
  columns: readonly GridColumn[],
  left: number,
  cells: Cells,
): string | undefined {
  const width = Math.max(0, ...cells.map(({ length }) => length));
  for (let n = 0; n < width; n += 1) {
    const column = columns[left + n];
    if (column?.type !== "date" && column?.type !== "timestamp") continue;
    const texts = cells.flatMap((row) => row[n] ?? []);
    const orders = texts.map((text) => ordersOf(text));
    const certain = new Set(orders.flatMap((one) => (one?.size === 1 ? [...one] : [])));
    const open = texts.find((_, at) => orders[at]?.size === 2);
    if (open !== undefined && certain.size !== 1) return open;
    if (certain.size === 2) return texts.find((_, at) => orders[at]?.size === 1);
  }
  return undefined;
}

/** Returns the date order of a column, if some of its dates are valid in only one order. */
function orderIn(texts: readonly string[]): DateOrder | undefined {
  const certain = new Set(
    texts.flatMap((text) => {
      const orders = ordersOf(text);
      return orders?.size === 1 ? [...orders] : [];
    }),
  );
  return certain.size === 1 ? [...certain][0] : undefined;
}

/** Pastes from the first selected cell; cells beyond the last record create new records. */
export function pasteCells(sheet: Sheet, range: Range, cells: Cells, options: PasteOptions): Paste {
  const { top, left } = boxOf(range);
  const width = Math.max(...cells.map(({ length }) => length), 1);
  const lines = linesFrom(sheet, top, cells.length);
  const columns = sheet.columns.slice(left, left + width);
  const writable = columns.map((column) => column.readOnly === undefined);
  const orders = columns.map(
    (_, n) => options.order ?? orderIn(cells.flatMap((row) => row[n] ?? [])),
  );
  const sets: CellSet[] = [];
  const created: PlacedRow[] = [];
  const problems: Problem[] = [...findClosedColumns(columns, cells, width)];
  for (const [at, texts] of cells.entries()) {
    const line = lines[at];
    const found = line === undefined ? undefined : rowOnLine(sheet, line);
    const row = (line ?? sheet.rows.count + at - lines.length) + 1;
    if (!found && options.noCreate !== undefined) {
      problems.push({
        row,
        column: "",
        text: texts.join(", "),
        message: options.noCreate,
        cells: texts.length,
      });
      continue;
    }
    const values: Record<string, unknown> = {};
    for (const [n, column] of columns.entries()) {
      const text = texts[n];
      if (text === undefined || writable[n] !== true) continue;
      const parsed = readPasted(column, text, options.findId, orders[n]);
      if ("error" in parsed) {
        problems.push({ row, column: column.title, text, message: parsed.error, cells: 1 });
      } else if (!found) values[column.name] = parsed.value;
      else if (!isSame(found.row.values[column.name] ?? null, parsed.value)) {
        sets.push(setOf(found.row, column, parsed.value));
      }
    }
    if (found) continue;
    const missing = findMissing({ columns: options.all }, values);
    if (missing.length === 0) {
      const place = sheet.book.count + created.length;
      created.push({ place, row: { id: options.newId(), revision: 0, values } });
    } else problems.push(explainMissing(row, missing, texts));
  }
  return {
    change: { ...NO_CHANGE, label: labelOf(sets, created), sets, created },
    problems,
    range: {
      anchor: { row: top, column: left },
      end: {
        row: Math.max(top, (lines.at(-1) ?? top - 1) + cells.length - lines.length),
        column: Math.min(left + width, sheet.columns.length) - 1,
      },
    },
  };
}

function labelOf(sets: readonly CellSet[], created: readonly PlacedRow[]): string {
  const values = created.map(({ row }) => Object.keys(row.values).length);
  return `${count(
    values.reduce((sum, one) => sum + one, sets.length),
    "cell",
  )} pasted`;
}

/** Returns the columns that can't be pasted into: computed columns, and columns outside the grid. */
function findClosedColumns(
  columns: readonly GridColumn[],
  cells: Cells,
  width: number,
): readonly Problem[] {
  const filled = (n: number) => cells.flatMap((row) => row[n] ?? []).filter((text) => text !== "");
  return Array.from({ length: width }, (_, n) => n).flatMap((n): readonly Problem[] => {
    const column = columns[n];
    if (column && column.readOnly === undefined) return [];
    const texts = filled(n);
    if (texts.length === 0) return [];
    const message = column?.readOnly ?? "The table has no column here.";
    const name = column ? column.title : `Pasted column ${n + 1}`;
    return [{ row: undefined, column: name, text: texts[0] ?? "", message, cells: texts.length }];
  });
}

function explainMissing(
  row: number,
  missing: readonly GridColumn[],
  texts: readonly string[],
): Problem {
  const names = missing.map(({ title }) => title).join(", ");
  const message = `Enter ${names} to create the record.`;
  return { row, column: "", text: texts.join(", "), message, cells: texts.length };
}

function readPasted(
  column: GridColumn,
  text: string,
  findId: FindId,
  order: DateOrder | undefined,
): Parsed {
  const isReference = column.type === "reference" || column.type === "user";
  const isList = column.type === "links";
  if (!(isReference || isList) || text.trim() === "" || /^(rec|usr)_/.test(text)) {
    return parseText(column, text, order);
  }
  const found = (isList ? splitNames(text) : [text.trim()]).map((name) => findId(column, name));
  const ids: string[] = [];
  for (const one of found) {
    if ("error" in one) return one;
    ids.push(one.id);
  }
  return { value: isList ? [...new Set(ids)] : ids[0] };
}
