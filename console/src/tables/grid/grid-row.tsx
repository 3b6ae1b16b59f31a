import { Maximize2 } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { GridColumn } from "../column/column.ts";
import { isNumber } from "../column/column.ts";
import type { NameOf } from "../column/value.ts";
import type { Fault, Flash, Row } from "../book/row-book.ts";
import { hueOf, type Other } from "../sheet/other.ts";
import { cellContent } from "../cell/cell-content.tsx";
import type { Span } from "./viewport.ts";
import { PlainButton } from "../../ui/form/button.tsx";

/** The layout of columns: the frozen ones first, then the visible ones. */
export interface ColumnLines {
  readonly columns: readonly GridColumn[];
  readonly edges: readonly number[];
  readonly frozen: number;
  readonly sight: Span;
  /** The width of the row number column. */
  readonly headPx: number;
  /** True if some columns are scrolled out of view; the frozen ones stay visible. */
  readonly isWide: boolean;
}

export interface RowProps {
  readonly line: number;
  readonly place: number;
  readonly top: number;
  readonly heightPx: number;
  /** Undefined while the row loads. */
  readonly row: Row | undefined;
  readonly lines: ColumnLines;
  readonly nameOf: NameOf;
  /** The selected range in this row, and the focused column. */
  readonly from: number;
  readonly to: number;
  readonly active: number;
  /** The editor in the focused cell. */
  readonly editor: ReactNode;
  readonly flash: Flash | undefined;
  readonly faults: ReadonlyMap<string, Fault> | undefined;
  /** Cells that other users have focused, by column name. */
  readonly others: ReadonlyMap<string, Other> | undefined;
  readonly hasHandle: boolean;
  readonly isDraft: boolean;
}

export const GridRow = memo(function GridRow(props: RowProps) {
  const { line, place, top, heightPx, row, lines, from, to, active } = props;
  const { columns, edges, frozen, sight, headPx, isWide } = lines;
  const shown = [...columns.slice(0, frozen), ...columns.slice(sight.from, sight.to)];
  const gap = (edges[sight.from] ?? 0) - (edges[frozen] ?? 0);
  const isChosen = from <= 0 && to >= columns.length - 1;
  return (
    <div
      role="row"
      className={`grid-row${active >= 0 ? " at" : ""}${isChosen ? " chosen" : ""}${props.isDraft ? " draft" : ""}`}
      aria-rowindex={line + 2}
      style={{ top, height: heightPx }}
    >
      <div role="rowheader" className="grid-number" style={{ width: headPx }} data-line={line}>
        <span>{place + 1}</span>
        {row && (
          <PlainButton className="grid-open" tabIndex={-1} aria-label={`Open record ${place + 1}`}>
            <Maximize2 />
          </PlainButton>
        )}
      </div>
      {shown.map((column, n) => {
        const at = n < frozen ? n : sight.from + n - frozen;
        const isGap = n === frozen && gap > 0;
        return (
          <CellBox
            key={column.name}
            {...props}
            column={column}
            at={at}
            width={(edges[at + 1] ?? 0) - (edges[at] ?? 0)}
            marginLeft={isGap ? gap : 0}
            stickyLeft={isWide && at < frozen ? headPx + (edges[at] ?? 0) : undefined}
          />
        );
      })}
    </div>
  );
});

interface CellBoxProps extends RowProps {
  readonly column: GridColumn;
  readonly at: number;
  readonly width: number;
  readonly marginLeft: number;
  readonly stickyLeft: number | undefined;
}

function CellBox(props: CellBoxProps) {
  const { column, at, row, line, from, to, active } = props;
  const isActive = at === active;
  const isIn = at >= from && at <= to;
  const fault = props.faults?.get(column.name);
  const other = props.others?.get(column.name);
  const flashed = props.flash?.fields.has(column.name) ? props.flash : undefined;
  const names = [
    "grid-cell",
    isNumber(column) ? "number" : "",
    isIn ? "in" : "",
    isActive ? "active" : "",
    props.stickyLeft === undefined ? "" : "frozen",
    column.readOnly === undefined ? "" : "fixed",
    fault ? "faulty" : "",
    flashed ? `flash hue-${hueOf(flashed.by ?? "")}` : "",
    other ? `other hue-${other.hue}` : "",
    column.type === "json" ? "mono" : "",
  ];
  return (
    <div
      role="gridcell"
      id={isActive ? "grid-active" : undefined}
      className={names.filter(Boolean).join(" ")}
      aria-colindex={at + 2}
      aria-selected={isIn}
      aria-readonly={column.readOnly !== undefined || undefined}
      aria-invalid={fault ? true : undefined}
      title={fault?.message ?? (flashed ? `Changed by ${flashed.by ?? "another user"}` : undefined)}
      data-line={line}
      data-column={at}
      aria-description={other && `${other.name} is editing this cell`}
      style={{
        width: props.width,
        ...(props.marginLeft > 0 && { marginLeft: props.marginLeft }),
        ...(props.stickyLeft !== undefined && { left: props.stickyLeft }),
      }}
    >
      {isActive && props.editor
        ? props.editor
        : row
          ? cellContent(column, row.values[column.name], props.nameOf)
          : at < 3 && <span className="bone" />}
      {other && (
        <span className="grid-other" aria-hidden="true">
          {other.name}
        </span>
      )}
      {isActive && props.hasHandle && !props.editor && (
        <span className="fill-handle" data-handle="" aria-hidden="true" />
      )}
    </div>
  );
}
