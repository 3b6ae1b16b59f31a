/** Mouse selection in a grid: cells, ranges, rows and the fill handle. */
import { type MouseEvent, type PointerEvent, type RefObject, useRef } from "react";
import type { GridColumn } from "../column/column.ts";
import type { Range } from "../sheet/cell-range.ts";

export interface PointerProps {
  readonly columns: readonly GridColumn[];
  readonly range: Range;
  readonly onRange: (range: Range) => void;
  readonly onOpen: (line: number) => void;
  readonly onEdit: () => void;
  readonly onFill: (to: number) => void;
  readonly box: RefObject<HTMLDivElement | null>;
}

interface Place {
  readonly line: number;
  /** Undefined in the row number column. */
  readonly column: number | undefined;
}

function placeOf(target: EventTarget | null): Place | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>("[data-line]") : null;
  if (!cell) return undefined;
  const { line, column } = cell.dataset;
  return { line: Number(line), column: column === undefined ? undefined : Number(column) };
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, [popover], .group-fold") !== null;

export function useGridPointer(props: PointerProps) {
  const drag = useRef<"range" | "rows" | "fill">(undefined);
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0 || isField(event.target)) return;
    const { target } = event;
    if (target instanceof Element && target.closest(".grid-open")) return;
    if (target instanceof HTMLElement && target.dataset["handle"] !== undefined) {
      drag.current = "fill";
      event.preventDefault();
      return;
    }
    const place = placeOf(target);
    if (!place) return;
    const last = props.columns.length - 1;
    const { anchor } = props.range;
    drag.current = place.column === undefined ? "rows" : "range";
    const start = { row: place.line, column: place.column ?? 0 };
    const end = { row: place.line, column: place.column ?? last };
    props.onRange({ anchor: event.shiftKey ? anchor : start, end });
    props.box.current?.focus({ preventScroll: true });
    // Touch scrolls, and the mouse selects.
    if (event.pointerType === "mouse") event.preventDefault();
    else drag.current = undefined;
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    if (drag.current === undefined || event.buttons === 0) return;
    const place = placeOf(document.elementFromPoint(event.clientX, event.clientY));
    if (!place) return;
    const { anchor, end } = props.range;
    const last = props.columns.length - 1;
    const column = drag.current === "rows" ? last : (place.column ?? end.column);
    const next = drag.current === "fill" ? { row: place.line, column: end.column } : undefined;
    const to = next ?? { row: place.line, column };
    if (to.row !== end.row || to.column !== end.column) props.onRange({ anchor, end: to });
  };
  const onPointerUp = (): void => {
    const isFill = drag.current === "fill";
    drag.current = undefined;
    if (isFill) props.onFill(props.range.end.row);
  };
  return {
    onPointerDown,
    onPointerMove,
    onPointerUp,
    onClick: (event: MouseEvent<HTMLElement>) => {
      const { target } = event;
      if (!(target instanceof Element) || !target.closest(".grid-open")) return;
      const place = placeOf(target);
      if (place) props.onOpen(place.line);
    },
    onDoubleClick: (event: MouseEvent<HTMLElement>) => {
      const place = placeOf(event.target);
      if (isField(event.target) || place?.column === undefined) return;
      props.onEdit();
    },
  };
}
