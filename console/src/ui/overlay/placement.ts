/**
 * Places what floats beside what it belongs to. It stands in the top layer (`popover`), so no scrolled box cuts it off.
 */
import { type RefObject, useLayoutEffect } from "react";

const GAP_PX = 4;
const EDGE_PX = 8;

interface Size {
  readonly width: number;
  readonly height: number;
}
interface Anchor {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Placement {
  readonly left: number;
  readonly top: number;
  readonly maxHeight: number;
}

/** Below where there is room, above where there is more; never out of the window. */
export function placeBeside(
  anchor: Anchor,
  size: Size,
  view: Size,
  align: "start" | "end" = "start",
): Placement {
  const below = view.height - anchor.bottom - GAP_PX - EDGE_PX;
  const above = anchor.top - GAP_PX - EDGE_PX;
  const isBelow = size.height <= below || below >= above;
  const maxHeight = isBelow ? below : above;
  const height = Math.min(size.height, maxHeight);
  const wanted = align === "start" ? anchor.left : anchor.right - size.width;
  return {
    left: Math.max(EDGE_PX, Math.min(wanted, view.width - size.width - EDGE_PX)),
    top: isBelow ? anchor.bottom + GAP_PX : anchor.top - GAP_PX - height,
    maxHeight,
  };
}

interface FloatOptions {
  readonly align?: "start" | "end";
  /** As wide as its anchor at least. */
  readonly isWide?: boolean;
}

/** Opens a `popover` beside its anchor for as long as it is drawn, and keeps it there. */
export function useFloat(
  anchor: RefObject<HTMLElement | null>,
  float: RefObject<HTMLElement | null>,
  isOpen: boolean,
  { align = "start", isWide = false }: FloatOptions = {},
): void {
  useLayoutEffect(() => {
    const [from, element] = [anchor.current, float.current];
    if (!isOpen || !from || !element) return undefined;
    element.showPopover();
    const place = (): void => {
      const around = from.getBoundingClientRect();
      element.style.maxHeight = "none";
      if (isWide) element.style.minWidth = `${around.width}px`;
      const view = { width: innerWidth, height: innerHeight };
      const size = { width: element.offsetWidth, height: element.scrollHeight };
      const { left, top, maxHeight } = placeBeside(around, size, view, align);
      element.style.left = `${left}px`;
      element.style.top = `${top}px`;
      element.style.maxHeight = `${maxHeight}px`;
    };
    place();
    const observer = new ResizeObserver(place);
    for (const child of element.children) observer.observe(child);
    addEventListener("scroll", place, { capture: true, passive: true });
    addEventListener("resize", place);
    return () => {
      observer.disconnect();
      removeEventListener("scroll", place, { capture: true });
      removeEventListener("resize", place);
    };
  }, [anchor, float, isOpen, align, isWide]);
}
