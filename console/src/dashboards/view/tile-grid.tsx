import type { ReactNode } from "react";
import type { Widget } from "./tile.tsx";

/** A grid of twelve columns; on narrow screens one column. */
export function TileGrid({ children }: { readonly children: ReactNode }) {
  return <div className="tiles">{children}</div>;
}

interface ItemProps {
  readonly widget: Widget;
  readonly children: ReactNode;
  readonly className?: string;
}

TileGrid.Item = function Item({ widget, children, className = "" }: ItemProps) {
  const look = widget.kind === "text" ? "text" : widget.layout.h === 1 ? "short" : "";
  return (
    <div
      role="group"
      className={`tile ${className} ${look}`}
      aria-label={widget.title || undefined}
      style={boxStyle(widget.layout)}
    >
      {children}
    </div>
  );
};

/** The grid position of a tile. */
export function boxStyle({ x, y, w, h }: Widget["layout"]): React.CSSProperties {
  return {
    gridColumn: `${x + 1} / span ${Math.max(1, Math.min(w, 12 - x))}`,
    gridRow: `${y + 1} / span ${h}`,
    ["--tile-rows" as string]: h,
  };
}
