/**
 * Positions floating elements next to their anchor. They are in the top layer (`popover`), so scroll containers do
 * not clip them.
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

/** Positions below if there is space, otherwise where there is more; never outside the window. */
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
  /** At least as wide as its anchor. */
  readonly isWide?: boolean;
}

/** Shows a `popover` next to its anchor while mounted, and updates its position. */
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
