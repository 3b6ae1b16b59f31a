/** What a selection can have done to it: clear, fill, paste. Each is one change, and so one step of undo. */
import type { GridColumn } from "../column/column.ts";
import { isSame, type NameOf, parseText, toPlain } from "../column/value.ts";
import { type CellSet, type Change, NO_CHANGE, type PlacedRow } from "../book/change.ts";
import type { Cells } from "../../ui/readable/cells.ts";
import { tileCells } from "../book/clipboard.ts";
import { cellKey, type Row, type RowBook } from "../book/row-book.ts";
import { boxOf, type Range, sizeOf } from "./cell-range.ts";
import type { GroupRows } from "./group-rows.ts";

export interface Sheet {
  readonly book: RowBook;
  readonly rows: GroupRows;
  readonly columns: readonly GridColumn[];
  readonly nameOf: NameOf;
}

/** The record of a line, with its place; undefined for a group's line and for what is not read yet. */
export function rowOnLine({ book, rows }: Sheet, line: number): PlacedRow | undefined {
  const place = rows.placeAt(line);
  const row = place === undefined ? undefined : book.rowAt(place);
  return row && place !== undefined ? { row, place } : undefined;
}

export function rowsIn(sheet: Sheet, range: Range): readonly PlacedRow[] {
  const { top, bottom } = boxOf(range);
  return Array.from(
    { length: bottom - top + 1 },
    (_, n) => rowOnLine(sheet, top + n) ?? [],
  ).flat() as readonly PlacedRow[];
}

export function columnsIn({ columns }: Sheet, range: Range): readonly GridColumn[] {
  const { left, right } = boxOf(range);
  return columns.slice(left, right + 1);
}

export function readCells(sheet: Sheet, range: Range): Cells {
  const columns = columnsIn(sheet, range);
  return rowsIn(sheet, range).map(({ row }) =>
    columns.map((column) => toPlain(column, row.values[column.name], sheet.nameOf)),
  );
}

export function clearCells(sheet: Sheet, range: Range): readonly CellSet[] {
  const columns = columnsIn(sheet, range).filter(
    ({ readOnly, isRequired }) => readOnly === undefined && !isRequired,
  );
  return rowsIn(sheet, range).flatMap(({ row }) =>
    columns.map((column) => setOf(row, column, column.type === "multi_enum" ? [] : null)),
  );
}

const setOf = (row: Row, { name }: GridColumn, after: unknown): CellSet => ({
  id: row.id,
  field: name,
  before: row.values[name] ?? null,
  after,
});

/** Every row of the selection becomes like its first. */
export function fillCells(sheet: Sheet, range: Range): readonly CellSet[] {
  const columns = columnsIn(sheet, range).filter(({ readOnly }) => readOnly === undefined);
  const rows = rowsIn(sheet, range);
  const from = rowOnLine(sheet, range.anchor.row)?.row;
  if (!from) return [];
  return rows.flatMap(({ row }) =>
    row.id === from.id
      ? []
      : columns.map((column) => setOf(row, column, from.values[column.name] ?? null)),
  );
}

export interface Paste {
  readonly change: Change;
  /** Cells that can't hold what was pasted; each says why in its place. */
  readonly refused: number;
  readonly range: Range;
}

/** Names of references to their ids, as far as they are known here. */
type IdOf = (column: GridColumn, name: string) => string | undefined;

/** Pastes from the first selected cell on; what goes beyond the last record makes new ones. */
export function pasteCells(
  sheet: Sheet,
  range: Range,
  given: Cells,
  { idOf, newId, mayAdd }: { idOf: IdOf; newId: () => string; mayAdd: boolean },
): Paste {
  const { top, left } = boxOf(range);
  const size = sizeOf(boxOf(range));
  const cells = tileCells(given, size.rows, size.columns);
  const sets: CellSet[] = [];
  const created: PlacedRow[] = [];
  let refused = 0;
  let line = top;
  for (const texts of cells) {
    // Lines of groups are passed over.
    while (line < sheet.rows.count && sheet.rows.placeAt(line) === undefined) line += 1;
    const found = line < sheet.rows.count ? rowOnLine(sheet, line) : undefined;
    const isNew = line >= sheet.rows.count;
    line += 1;
    if (!found && !(isNew && mayAdd)) continue;
    const row = found?.row ?? { id: newId(), revision: 0, values: {} };
    const values: Record<string, unknown> = {};
    for (const [n, text] of texts.entries()) {
      const column = sheet.columns[left + n];
      if (!column) continue;
      const parsed = readPasted(column, text, idOf);
      if ("error" in parsed) {
        refused += 1;
        if (column.readOnly === undefined) {
          sheet.book.faults.set(cellKey(row.id, column.name), {
            message: parsed.error,
            mine: text,
          });
        }
      } else if (found) {
        const set = setOf(row, column, parsed.value);
        if (!isSame(set.before, set.after)) sets.push(set);
      } else values[column.name] = parsed.value;
    }
    if (!found) created.push({ place: sheet.book.count + created.length, row: { ...row, values } });
  }
  const width = Math.max(...cells.map((row) => row.length), 1);
  const count =
    sets.length + created.reduce((sum, { row }) => sum + Object.keys(row.values).length, 0);
  return {
    change: { ...NO_CHANGE, label: `${count.toLocaleString("en")} cells pasted`, sets, created },
    refused,
    range: {
      anchor: { row: top, column: left },
      end: {
        row: Math.max(top, line - 1),
        column: Math.min(left + width, sheet.columns.length) - 1,
      },
    },
  };
}

function readPasted(column: GridColumn, text: string, idOf: IdOf) {
  const isReference = column.type === "reference" || column.type === "user";
  const isList = column.type === "links";
  if (!(isReference || isList) || text.trim() === "" || /^(rec|usr)_/.test(text))
    return parseText(column, text);
  const names = isList ? splitNames(text) : [text.trim()];
  const ids = names.map((name) => idOf(column, name));
  const missing = names.find((_, n) => ids[n] === undefined);
  if (missing !== undefined) return { error: `Nothing is called “${missing}”.` };
  return { value: isList ? [...new Set(ids)] : ids[0] };
}

/** The names of a cell that links to several. */
export function splitNames(text: string): readonly string[] {
  return text
    .split(/[;\n]/)
    .map((name) => name.trim())
    .filter(Boolean);
}
