/** The column headers: sort, move, resize and open the menu, by keyboard, menu or dragging. */
import { ArrowDown, ArrowUp, ChevronDown, Plus } from "lucide-react";
import { type PointerEvent, useState } from "react";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import type { GridColumn } from "../column/column.ts";
import { isNumber } from "../column/column.ts";
import { TypeIcon, typeWord } from "../column/type-icon.tsx";
import { parseSort } from "../views/layout.ts";
import type { ColumnLines } from "./grid-row.tsx";
import { Button } from "../../ui/form/button.tsx";

export interface HeadHandlers {
  readonly menuOf: (column: GridColumn, at: number) => readonly MenuItem[];
  readonly onSelect: (at: number, isRange: boolean) => void;
  readonly onWidth: (column: GridColumn, px: number) => void;
  readonly onMove: (column: GridColumn, to: number) => void;
  /** Undefined if the user can't change the table. */
  readonly onAdd?: (() => void) | undefined;
}

interface HeadRowProps extends HeadHandlers {
  readonly lines: ColumnLines;
  readonly sort: string;
  readonly selected: (at: number) => boolean;
  readonly widthPx: number;
}

const WIDTH_MIN_PX = 56;

export function HeadRow(props: HeadRowProps) {
  const { lines, sort } = props;
  const { columns, edges, frozen, sight, headPx } = lines;
  const shown = [...columns.slice(0, frozen), ...columns.slice(sight.from, sight.to)];
  const gap = (edges[sight.from] ?? 0) - (edges[frozen] ?? 0);
  const order = new Map(parseSort(sort));
  const [over, setOver] = useState<number>();
  return (
    <div
      role="row"
      className="grid-head"
      aria-rowindex={1}
      style={{ width: props.widthPx }}
      onDragEnd={() => setOver(undefined)}
    >
      <div role="columnheader" className="grid-number" style={{ width: headPx }}>
        <span className="sr-only">Row</span>
      </div>
      {shown.map((column, n) => {
        const at = n < frozen ? n : sight.from + n - frozen;
        const width = (edges[at + 1] ?? 0) - (edges[at] ?? 0);
        return (
          <HeadCell
            key={column.name}
            {...props}
            {...{ column, at, width, over, setOver }}
            direction={order.get(column.name)}
            marginLeft={n === frozen ? gap : 0}
            stickyLeft={at < frozen ? headPx + (edges[at] ?? 0) : undefined}
          />
        );
      })}
      {props.onAdd && sight.to === columns.length && (
        <div role="columnheader" className="grid-add-column">
          <Button
            look="bare"
            isIcon
            aria-label="Add column"
            title="Add column"
            onClick={props.onAdd}
          >
            <Plus />
          </Button>
        </div>
      )}
    </div>
  );
}

interface HeadCellProps extends HeadRowProps {
  readonly column: GridColumn;
  readonly at: number;
  readonly width: number;
  readonly direction: "asc" | "desc" | undefined;
  readonly marginLeft: number;
  readonly stickyLeft: number | undefined;
  readonly over: number | undefined;
  readonly setOver: (at: number | undefined) => void;
}

function HeadCell(props: HeadCellProps) {
  const { column, at, width, direction, stickyLeft } = props;
  const label = column.title;
  const about = [column.name, typeWord(column.type), column.description].filter(Boolean);
  return (
    <div
      role="columnheader"
      aria-colindex={at + 2}
      aria-sort={direction && (direction === "asc" ? "ascending" : "descending")}
      className={`grid-title${stickyLeft === undefined ? "" : " frozen"}${props.selected(at) ? " in" : ""}${props.over === at ? " over" : ""}${isNumber(column) ? " number" : ""}`}
      style={{
        width,
        ...(props.marginLeft > 0 && { marginLeft: props.marginLeft }),
        ...(stickyLeft !== undefined && { left: stickyLeft }),
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        props.setOver(at);
      }}
      onDrop={(event) => {
        const name = event.dataTransfer.getData(DRAGGED);
        const moved = props.lines.columns.find((one) => one.name === name);
        props.setOver(undefined);
        if (moved) props.onMove(moved, at);
      }}
    >
      <span
        className="grid-name cut"
        title={about.join(" · ")}
        draggable
        onDragStart={(event) => event.dataTransfer.setData(DRAGGED, column.name)}
        onClick={(event) => props.onSelect(at, event.shiftKey)}
      >
        <TypeIcon type={column.type} />
        <span className="cut">{label}</span>
        {column.isRequired && column.readOnly === undefined && (
          <span className="grid-must" title="Required" aria-label="required">
            *
          </span>
        )}
        {direction === "asc" && <ArrowUp className="ico sorted" />}
        {direction === "desc" && <ArrowDown className="ico sorted" />}
      </span>
      <Menu
        label={`Column ${label}`}
        className="grid-menu"
        align="end"
        items={props.menuOf(column, at)}
      >
        <ChevronDown className="ico" />
      </Menu>
      <WidthHandle width={width} onWidth={(px) => props.onWidth(column, px)} />
    </div>
  );
}

const DRAGGED = "text/x-millrace-column";

/** Drag to resize the column; double-click to reset its width. */
function WidthHandle(props: { readonly width: number; readonly onWidth: (px: number) => void }) {
  const start = (event: PointerEvent<HTMLElement>): void => {
    event.preventDefault();
    event.stopPropagation();
    const handle = event.currentTarget;
    const from = event.clientX;
    handle.setPointerCapture(event.pointerId);
    const move = ({ clientX }: globalThis.PointerEvent): void =>
      props.onWidth(Math.max(WIDTH_MIN_PX, Math.round(props.width + clientX - from)));
    const end = (): void => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", end);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", end);
  };
  return <span className="width-handle" aria-hidden="true" onPointerDown={start} />;
}
