/** The visible part of a table. Only this part is rendered, so that the size of the table does not matter. */

/** Browsers limit elements to about 17 million pixels; taller tables are scrolled proportionally. */
const HEIGHT_MAX_PX = 15_000_000;
const ROWS_AROUND = 6;
const ROWS_TOGETHER = 10_000;

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Maps rows to the scrolled box. */
export interface RowScale {
  readonly rowPx: number;
  readonly count: number;
  /** The height of the scrolled box. */
  readonly heightPx: number;
  /** Pixels of the table per pixel of the box. */
  readonly factor: number;
}

export interface RowOrigin {
  readonly row: number;
  readonly topPx: number;
}

export function scaleRows(count: number, rowPx: number, viewPx: number): RowScale {
  const wholePx = count * rowPx;
  const heightPx = Math.min(wholePx, HEIGHT_MAX_PX);
  const room = Math.max(1, heightPx - viewPx);
  const factor = wholePx <= HEIGHT_MAX_PX ? 1 : (wholePx - viewPx) / room;
  return { rowPx, count, heightPx, factor };
}

/** Returns the rows visible at a scroll position, plus some around them. */
export function rowsAt({ rowPx, count, factor }: RowScale, topPx: number, viewPx: number): Span {
  const first = Math.floor((topPx * factor) / rowPx);
  const from = first - ROWS_AROUND;
  return { from: Math.max(0, from), to: Math.min(count, from + rowsDrawn(rowPx, viewPx)) };
}

/** Returns the maximum number of rendered rows, for any scroll position. */
export function rowsDrawn(rowPx: number, viewPx: number): number {
  return Math.ceil(viewPx / rowPx) + 1 + 2 * ROWS_AROUND;
}

/**
 * Returns the offset of each row relative to an origin row that rarely changes, and the offset of that origin row
 * from the top of the box. When a tall table is scrolled proportionally, only one element has to move instead of
 * all rows.
 */
export function originAt({ rowPx, factor }: RowScale, from: number, topPx: number): RowOrigin {
  const row = from - (from % ROWS_TOGETHER);
  return { row, topPx: Math.round(row * rowPx + topPx - topPx * factor) };
}

/** Returns the scroll position that makes a row visible; undefined if it is already visible. */
export function scrollTo(
  { rowPx, factor }: RowScale,
  row: number,
  view: { readonly topPx: number; readonly viewPx: number },
): number | undefined {
  const seen = view.topPx * factor;
  const [top, bottom] = [row * rowPx, (row + 1) * rowPx];
  if (top < seen) return top / factor;
  if (bottom > seen + view.viewPx) return (bottom - view.viewPx) / factor;
  return undefined;
}

/** Returns the left edges of all columns, plus the right edge of the last one. */
export function edgesOf(widths: readonly number[]): readonly number[] {
  const edges = [0];
  for (const width of widths) edges.push((edges.at(-1) ?? 0) + width);
  return edges;
}

/** Returns the visible columns, apart from the frozen ones. */
export function columnsAt(
  edges: readonly number[],
  frozen: number,
  view: { readonly leftPx: number; readonly viewPx: number },
): Span {
  const last = edges.length - 1;
  const left = view.leftPx + (edges[frozen] ?? 0);
  const right = view.leftPx + view.viewPx;
  let from = frozen;
  while (from < last && (edges[from + 1] ?? 0) <= left) from += 1;
  let to = from;
  while (to < last && (edges[to] ?? 0) < right) to += 1;
  return { from: Math.max(frozen, from - 1), to: Math.min(last, to + 1) };
}
