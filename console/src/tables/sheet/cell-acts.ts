/** Clears and fills selected cells. An operation is a single undo step. */
import type { GridColumn } from "../column/column.ts";
import { type NameOf, toPlain } from "../column/value.ts";
import type { CellSet, PlacedRow } from "../book/change.ts";
import type { Cells } from "../../ui/readable/cells.ts";
import type { Row, RowBook } from "../book/row-book.ts";
import { boxOf, type Range } from "./cell-range.ts";
import type { GroupRows } from "./group-rows.ts";

export interface Sheet {
  readonly book: RowBook;
  readonly rows: GroupRows;
  readonly columns: readonly GridColumn[];
  readonly nameOf: NameOf;
  /** Selected records that the book has not loaded, by place. */
  readonly further?: ReadonlyMap<number, Row>;
}

/** Returns the record on a line. Group headers and unloaded rows return undefined. */
export function rowOnLine({ book, rows, further }: Sheet, line: number): PlacedRow | undefined {
  const place = rows.placeAt(line);
  if (place === undefined) return undefined;
  const row = book.rowAt(place) ?? further?.get(place);
  return row && { row, place };
}

/** Returns the places of the records on these lines; group headers have none. */
export function placesIn({ rows }: Sheet, top: number, bottom: number): readonly number[] {
  const places: number[] = [];
  for (let line = top; line <= Math.min(bottom, rows.count - 1); line += 1) {
    const place = rows.placeAt(line);
    if (place !== undefined) places.push(place);
  }
  return places;
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

export const setOf = (row: Row, { name }: GridColumn, after: unknown): CellSet => ({
  id: row.id,
  field: name,
  before: row.values[name] ?? null,
  after,
});

/** Fills every record of the selection with the values of the first one. */
export function fillCells(sheet: Sheet, range: Range): readonly CellSet[] {
  const columns = columnsIn(sheet, range).filter(({ readOnly }) => readOnly === undefined);
  const rows = rowsIn(sheet, range);
  const from = rowOnLine(sheet, range.anchor.row)?.row ?? rows[0]?.row;
  if (!from) return [];
  return rows.flatMap(({ row }) =>
    row.id === from.id
      ? []
      : columns.map((column) => setOf(row, column, from.values[column.name] ?? null)),
  );
}
