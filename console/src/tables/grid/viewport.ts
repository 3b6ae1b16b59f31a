/** Which part of a table is in sight. Only that is drawn, whatever the table's size. */

/** Browsers end at about 17 million pixels; a taller table is scrolled in proportion. */
const HEIGHT_MAX_PX = 15_000_000;
const ROWS_AROUND = 6;
const ROWS_TOGETHER = 10_000;

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How rows lie in the scrolled box. */
export interface RowScale {
  readonly rowPx: number;
  readonly count: number;
  /** Of the box that is scrolled. */
  readonly heightPx: number;
  /** Pixels of the table for one pixel of the box. */
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

/** Rows in sight at a scroll position, with some around them. */
export function rowsAt({ rowPx, count, factor }: RowScale, topPx: number, viewPx: number): Span {
  const first = Math.floor((topPx * factor) / rowPx);
  const from = first - ROWS_AROUND;
  return { from: Math.max(0, from), to: Math.min(count, from + rowsDrawn(rowPx, viewPx)) };
}

/** How many rows are drawn at most, wherever the table is scrolled to. */
export function rowsDrawn(rowPx: number, viewPx: number): number {
  return Math.ceil(viewPx / rowPx) + 1 + 2 * ROWS_AROUND;
}

/**
 * Where rows are drawn in the scrolled box: each from a row that stays the same for long, and that one from the box's
 * top. So only one element moves while a tall table is scrolled in proportion, and not each of its rows.
 */
export function originAt({ rowPx, factor }: RowScale, from: number, topPx: number): RowOrigin {
  const row = from - (from % ROWS_TOGETHER);
  return { row, topPx: Math.round(row * rowPx + topPx - topPx * factor) };
}

/** The scroll position that brings a row into sight; undefined where it is. */
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

/** The edges of columns from the left, one more than there are columns. */
export function edgesOf(widths: readonly number[]): readonly number[] {
  const edges = [0];
  for (const width of widths) edges.push((edges.at(-1) ?? 0) + width);
  return edges;
}

/** Columns in sight beside the frozen ones. */
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
