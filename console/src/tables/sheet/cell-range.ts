/** Cells and ranges by position, and keyboard navigation between them. */

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The selection: from the focused cell to another cell. */
export interface Range {
  readonly anchor: Cell;
  readonly end: Cell;
}

export interface Box {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

export const at = (row: number, column: number): Range => ({
  anchor: { row, column },
  end: { row, column },
});

export function boxOf({ anchor, end }: Range): Box {
  return {
    top: Math.min(anchor.row, end.row),
    bottom: Math.max(anchor.row, end.row),
    left: Math.min(anchor.column, end.column),
    right: Math.max(anchor.column, end.column),
  };
}

export function sizeOf({ top, bottom, left, right }: Box): Extent {
  return { rows: bottom - top + 1, columns: right - left + 1 };
}

export const isOne = ({ anchor, end }: Range): boolean =>
  anchor.row === end.row && anchor.column === end.column;

const clamp = (n: number, count: number): number => Math.max(0, Math.min(count - 1, n));

export function clampRange({ anchor, end }: Range, { rows, columns }: Extent): Range {
  const fit = ({ row, column }: Cell): Cell => ({
    row: clamp(row, rows),
    column: clamp(column, columns),
  });
  return { anchor: fit(anchor), end: fit(end) };
}

interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  /** Control, or Command on macOS. */
  readonly mod: boolean;
}

/** Returns where a key moves: one cell, a page or to an edge; shift extends the range. Undefined for other keys. */
export function moveBy(
  range: Range,
  { key, shiftKey, mod }: KeyPress,
  extent: Extent,
  pageRows: number,
): Range | undefined {
  const from = shiftKey ? range.end : range.anchor;
  const [lastRow, lastColumn] = [extent.rows - 1, extent.columns - 1];
  const target = ((): Cell | undefined => {
    const { row, column } = from;
    switch (key) {
      case "ArrowUp":
        return { row: mod ? 0 : row - 1, column };
      case "ArrowDown":
        return { row: mod ? lastRow : row + 1, column };
      case "ArrowLeft":
        return { row, column: mod ? 0 : column - 1 };
      case "ArrowRight":
        return { row, column: mod ? lastColumn : column + 1 };
      case "PageUp":
        return { row: row - pageRows, column };
      case "PageDown":
        return { row: row + pageRows, column };
      case "Home":
        return { row: mod ? 0 : row, column: 0 };
      case "End":
        return { row: mod ? lastRow : row, column: lastColumn };
      default:
        return undefined;
    }
  })();
  if (!target) return undefined;
  const next = shiftKey ? { anchor: range.anchor, end: target } : { anchor: target, end: target };
  return clampRange(next, extent);
}

/** Tab moves along a row and wraps to the next one. */
export function tabBy(range: Range, by: 1 | -1, { rows, columns }: Extent): Range | undefined {
  const place = range.anchor.row * columns + range.anchor.column + by;
  if (place < 0 || place >= rows * columns) return undefined;
  return at(Math.floor(place / columns), place % columns);
}
