/** A spreadsheet-like grid for lists of any length. It renders only the visible rows and columns. */
import "./grid.css";
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { useStableHandlers } from "../../ui/behaviour/stable.ts";
import type { GridColumn } from "../column/column.ts";
import type { NameOf } from "../column/value.ts";
import { isDraft, type RowBook } from "../book/row-book.ts";
import { boxOf, isOne, type Range } from "../sheet/cell-range.ts";
import { type ColumnLines, GridRow } from "./grid-row.tsx";
import { GroupLine } from "./group-line.tsx";
import type { GroupRows } from "../sheet/group-rows.ts";
import { HeadRow, type HeadHandlers } from "./head-row.tsx";
import type { Other } from "../sheet/other.ts";
import { type PointerProps, useGridPointer } from "./use-grid-pointer.ts";
import {
  columnsAt,
  edgesOf,
  originAt,
  rowsAt,
  rowsDrawn,
  scaleRows,
  scrollTo,
  type Span,
} from "./viewport.ts";

export interface GridProps extends PointerProps {
  readonly label: string;
  readonly book: RowBook;
  readonly rows: GroupRows;
  readonly widths: readonly number[];
  readonly frozen: number;
  readonly rowPx: number;
  readonly sort: string;
  readonly nameOf: NameOf;
  readonly editor: ReactNode;
  readonly head: HeadHandlers;
  readonly groupColumn: GridColumn | undefined;
  readonly folded: ReadonlySet<string>;
  readonly onFold: (value: unknown) => void;
  readonly others: ReadonlyMap<string, ReadonlyMap<string, Other>>;
  readonly onKeyDown: (event: React.KeyboardEvent<HTMLElement>, pageRows: number) => void;
  readonly footer: (lines: ColumnLines) => ReactNode;
}

interface View {
  readonly topPx: number;
  readonly leftPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

const NUMBER_PX = 56;
const HEAD_PX = 32;
const FOOT_PX = 30;
const ADD_PX = 44;
const SETTLE_MS = 50;
const MOVES = /^(?:Arrow|Page|Home|End)/;
const MODIFIERS: ReadonlySet<string> = new Set(["Control", "Shift", "Alt", "Meta"]);

export function Grid(props: GridProps) {
  const { book, rows, columns, rowPx, range, box } = props;
  const view = useView(box);
  const edges = useMemo(() => edgesOf(props.widths), [props.widths]);
  const bodyPx = Math.max(0, view.heightPx - HEAD_PX - FOOT_PX);
  const scale = useMemo(() => scaleRows(rows.count, rowPx, bodyPx), [rows.count, rowPx, bodyPx]);
  const span = rowsAt(scale, view.topPx, bodyPx);
  const seen = columnsAt(edges, props.frozen, {
    leftPx: view.leftPx,
    viewPx: view.widthPx - NUMBER_PX,
  });
  const widthPx = NUMBER_PX + (edges.at(-1) ?? 0) + ADD_PX;
  const isWide = widthPx > view.widthPx;
  const lines = useMemo(
    (): ColumnLines => ({
      columns,
      edges,
      frozen: props.frozen,
      sight: { from: seen.from, to: seen.to },
      headPx: NUMBER_PX,
      isWide,
    }),
    [columns, edges, props.frozen, seen.from, seen.to, isWide],
  );
  useReads(book, rows, span.from, span.to);
  const reveal = useFollow(box, { range, scale, edges, bodyPx, frozen: props.frozen });
  const pointer = useGridPointer(props);
  const chosen = boxOf(range);
  const origin = originAt(scale, span.from, view.topPx);
  const slots = rowsDrawn(rowPx, bodyPx);
  return (
    <div
      ref={box}
      className={isWide ? "grid wide" : "grid"}
      role="grid"
      tabIndex={0}
      aria-label={props.label}
      aria-rowcount={rows.count + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={props.editor ? undefined : "grid-active"}
      onKeyDown={(event) => {
        if (actsOnCell(event)) reveal();
        props.onKeyDown(event, Math.floor(bodyPx / rowPx) - 1);
      }}
      {...pointer}
    >
      <HeadRow
        {...props.head}
        lines={lines}
        sort={props.sort}
        widthPx={widthPx}
        selected={(at) => at >= chosen.left && at <= chosen.right}
      />
      <div className="grid-body" role="rowgroup" style={{ height: scale.heightPx, width: widthPx }}>
        <div className="grid-rows" style={{ transform: `translateY(${origin.topPx}px)` }}>
          <DrawnRows {...props} {...{ lines, span, slots }} originRow={origin.row} />
        </div>
      </div>
      {props.footer(lines)}
    </div>
  );
}

interface DrawnRowsProps extends GridProps {
  readonly lines: ColumnLines;
  readonly span: Span;
  /** The number of row elements. */
  readonly slots: number;
  /** The row at the top of the box that contains the row elements. */
  readonly originRow: number;
}

/** The visible rows. An element that leaves the view is reused for the row that enters it. */
function DrawnRows(props: DrawnRowsProps) {
  const { book, rows, columns, rowPx, range, lines, span, slots } = props;
  const stable = useStableHandlers({ onFold: props.onFold });
  const chosen = boxOf(range);
  const drawn = Array.from({ length: span.to - span.from }, (_, n) => span.from + n);
  return drawn.map((line) => {
    const top = (line - props.originRow) * rowPx;
    const grouped = rows.groupAt(line);
    if (grouped && props.groupColumn) {
      return (
        <GroupLine
          key={`g${line % slots}`}
          {...{ line, top, columns }}
          group={grouped.group}
          column={props.groupColumn}
          heightPx={rowPx}
          isFolded={props.folded.has(JSON.stringify(grouped.group.value))}
          nameOf={props.nameOf}
          onFold={stable.onFold}
        />
      );
    }
    const place = rows.placeAt(line) ?? 0;
    const row = book.rowAt(place);
    const isIn = line >= chosen.top && line <= chosen.bottom;
    const isActive = line === range.anchor.row;
    return (
      <GridRow
        key={line % slots}
        {...{ line, place, top, row, lines }}
        heightPx={rowPx}
        nameOf={props.nameOf}
        from={isIn ? chosen.left : -1}
        to={isIn ? chosen.right : -2}
        active={isActive ? range.anchor.column : -1}
        editor={isActive ? props.editor : undefined}
        flash={row && book.flashes.get(row.id)}
        faults={row && faultsOf(book, row.id)}
        others={row && props.others.get(row.id)}
        hasHandle={isActive && isOne(range)}
        isDraft={row !== undefined && isDraft(row.id)}
      />
    );
  });
}

/** The scroll position, updated once per frame. */
function useView(box: React.RefObject<HTMLDivElement | null>): View {
  const [view, setView] = useState<View>({ topPx: 0, leftPx: 0, widthPx: 1200, heightPx: 800 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const { scrollTop, scrollLeft, clientWidth, clientHeight } = element;
      setView({
        topPx: scrollTop,
        leftPx: scrollLeft,
        widthPx: clientWidth,
        heightPx: clientHeight,
      });
    };
    // Rendered in the same frame: otherwise layout would run twice, and the frame would be late.
    const later = (): void => {
      frame ||= requestAnimationFrame(() => flushSync(look));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", later, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener("scroll", later);
    };
  }, [box]);
  return view;
}

/** Loads visible rows when scrolling pauses; the first page is loaded immediately. */
function useReads(book: RowBook, rows: GroupRows, from: number, to: number): void {
  const first = rows.placeAt(from) ?? rows.placeAt(from + 1) ?? 0;
  const last = rows.placeAt(to - 1) ?? rows.placeAt(to - 2) ?? first;
  const { version } = book;
  useEffect(() => {
    if (!book.isRead) return book.need(0, 1);
    const timer = setTimeout(() => book.need(first, Math.max(first, last) + 1), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [book, first, last, version]);
}

interface Followed {
  readonly range: Range;
  readonly scale: ReturnType<typeof scaleRows>;
  readonly edges: readonly number[];
  readonly bodyPx: number;
  readonly frozen: number;
}

/** Scrolls to the focused cell when it changes, and when the returned function is called. */
function useFollow(
  box: React.RefObject<HTMLDivElement | null>,
  { range, scale, edges, bodyPx, frozen }: Followed,
): () => void {
  const { row, column } = range.end;
  const reveal = (): void => {
    const element = box.current;
    if (!element) return;
    const top = scrollTo(scale, row, { topPx: element.scrollTop, viewPx: bodyPx });
    if (top !== undefined) element.scrollTop = top;
    if (column < frozen) return;
    const [left, right] = [edges[column] ?? 0, edges[column + 1] ?? 0];
    const fixed = edges[frozen] ?? 0;
    const seen = element.clientWidth - NUMBER_PX;
    if (left - fixed < element.scrollLeft) element.scrollLeft = left - fixed;
    else if (right > element.scrollLeft + seen) element.scrollLeft = right - seen;
  };
  const { show } = useStableHandlers({ show: reveal });
  // Only a focus change scrolls, so that the user can scroll away from the focused cell.
  useEffect(() => show(), [row, column, show]);
  return show;
}

/**
 * Returns whether a key moves the focus or edits the cell, so that the cell must be visible. Copying does not
 * scroll.
 */
function actsOnCell({ key, ctrlKey, metaKey }: React.KeyboardEvent): boolean {
  return MOVES.test(key) || (!MODIFIERS.has(key) && !ctrlKey && !metaKey);
}

function faultsOf(book: RowBook, id: string) {
  if (book.faults.size === 0) return undefined;
  const own = [...book.faults].filter(([key]) => key.startsWith(`${id}:`));
  return own.length === 0
    ? undefined
    : new Map(own.map(([key, fault]) => [key.slice(id.length + 1), fault]));
}
