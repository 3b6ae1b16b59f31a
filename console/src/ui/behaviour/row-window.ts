/** Renders only visible rows and a small margin, so long lists stay fast. */
import { type RefObject, useEffect, useState } from "react";

const AROUND = 12;

export interface RowWindow {
  readonly from: number;
  readonly to: number;
}

/** Returns the visible rows of a scrolled box, for rows of equal height. */
export function rowsInSight(
  box: { readonly scrollTop: number; readonly clientHeight: number },
  rowPx: number,
  count: number,
): RowWindow {
  const first = Math.floor(box.scrollTop / rowPx) - AROUND;
  const last = Math.ceil((box.scrollTop + box.clientHeight) / rowPx) + AROUND;
  return { from: Math.max(0, Math.min(first, count)), to: Math.min(count, last) };
}

export function useRowWindow(
  box: RefObject<HTMLElement | null>,
  rowPx: number,
  count: number,
): RowWindow {
  const [sight, setSight] = useState<RowWindow>({ from: 0, to: Math.min(count, 4 * AROUND) });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => {
      const next = rowsInSight(element, rowPx, count);
      setSight((old) => (old.from === next.from && old.to === next.to ? old : next));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box, rowPx, count]);
  return { from: Math.min(sight.from, count), to: Math.min(sight.to, count) };
}

export function showRow(box: HTMLElement, rowPx: number, n: number, headPx = 0): void {
  const [top, bottom] = [n * rowPx, (n + 1) * rowPx];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight - headPx) {
    box.scrollTop = bottom - box.clientHeight + headPx;
  }
}
