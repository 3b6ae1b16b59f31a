import "./table.css";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from "react";
import { useIsNarrow } from "../behaviour/narrow.ts";
import { showRow, useRowWindow } from "../behaviour/row-window.ts";

const ROW_PX = 34;
/** The height of a row with two lines on phones. */
const CARD_PX = 58;
const HEAD_PX = 32;

export interface Column<T> {
  readonly id: string;
  readonly label: string;
  readonly cell: (row: T) => ReactNode;
  /** The sort value; without it the column is not sortable. */
  readonly sortBy?: (row: T) => string | number;
  readonly isNumber?: boolean;
  /** CSS width; columns without one share the rest. */
  readonly width?: string;
}

export interface TableSort {
  readonly column: string;
  readonly isDescending: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly chosen?: string | undefined;
  readonly onOpen?: (row: T) => void;
  /** The sort order if the server sorts. */
  readonly sort?: TableSort | undefined;
  readonly onSort?: (sort: TableSort) => void;
  readonly empty?: ReactNode;
}

/**
 * Rows of equal height; only visible ones are rendered. One tab stop: arrow keys move, Enter opens. On phones, each
 * row has two lines: the widest column, and below it the others.
 */
export function Table<T>(props: TableProps<T>) {
  const { columns, rows, keyOf, onOpen } = props;
  const box = useRef<HTMLDivElement>(null);
  const [own, setOwn] = useState<TableSort>();
  const [active, setActive] = useState(0);
  const sort = props.onSort ? props.sort : own;
  const sorted = useMemo(
    () => (props.onSort ? rows : sortRows(rows, columns, own)),
    [rows, columns, own, props.onSort],
  );
  const isNarrow = useIsNarrow();
  const rowPx = isNarrow ? CARD_PX : ROW_PX;
  const { from, to } = useRowWindow(box, rowPx, sorted.length);
  const current = Math.min(active, Math.max(0, sorted.length - 1));
  const go = (n: number): void => {
    const next = Math.max(0, Math.min(sorted.length - 1, n));
    setActive(next);
    const element = box.current;
    if (!element) return;
    showRow(element, rowPx, next, isNarrow ? 0 : HEAD_PX);
    requestAnimationFrame(() =>
      element.querySelector<HTMLElement>(`[data-line="${next}"]`)?.focus(),
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.floor((box.current?.clientHeight ?? 0) / rowPx) - 1;
    const to2 = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: sorted.length - 1,
    }[event.key];
    const row = sorted[current];
    if (to2 !== undefined) go(to2);
    else if (event.key === "Enter" && row !== undefined && onOpen) onOpen(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const turn = (column: string): void => {
    const next = { column, isDescending: sort?.column === column && !sort.isDescending };
    if (props.onSort) props.onSort(next);
    else setOwn(next);
  };
  return (
    <div ref={box} className="table-box" role="region" aria-label={props.label}>
      <table
        className={isNarrow ? "table cards" : "table"}
        // Headers are hidden if there are no rows.
        hidden={rows.length === 0 && props.empty !== undefined}
        aria-rowcount={sorted.length + 1}
      >
        {!isNarrow && (
          <colgroup>
            {columns.map(({ id, width }) => (
              <col key={id} style={width === undefined ? undefined : { width }} />
            ))}
          </colgroup>
        )}
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell
                key={column.id}
                column={column}
                sort={sort}
                onTurn={() => turn(column.id)}
              />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          {from > 0 && <Pad heightPx={from * rowPx} columns={columns.length} />}
          {sorted.slice(from, to).map((row, n) => (
            <tr
              key={keyOf(row)}
              data-line={from + n}
              aria-rowindex={from + n + 2}
              aria-current={keyOf(row) === props.chosen || undefined}
              tabIndex={from + n === current ? 0 : -1}
              className={onOpen ? "opens" : undefined}
              onFocus={() => setActive(from + n)}
              onClick={() => onOpen?.(row)}
            >
              <Cells columns={columns} row={row} isCard={isNarrow} />
            </tr>
          ))}
          {to < sorted.length && (
            <Pad heightPx={(sorted.length - to) * rowPx} columns={columns.length} />
          )}
        </tbody>
      </table>
      {rows.length === 0 && props.empty}
    </div>
  );
}

interface CellsProps<T> {
  readonly columns: readonly Column<T>[];
  readonly row: T;
  readonly isCard: boolean;
}

function Cells<T>({ columns, row, isCard }: CellsProps<T>) {
  const main = isCard
    ? (columns.find(({ width }) => width === undefined) ?? columns[0])
    : undefined;
  if (!main) {
    return columns.map(({ id, cell, isNumber }) => (
      <td key={id} className={isNumber ? "number" : undefined}>
        {cell(row)}
      </td>
    ));
  }
  return (
    <td colSpan={columns.length}>
      <div className="card-main">{main.cell(row)}</div>
      <div className="card-rest">
        {columns
          .filter((column) => column !== main)
          .map(({ id, label, cell }) => (
            <span key={id} title={label}>
              {cell(row)}
            </span>
          ))}
      </div>
    </td>
  );
}

function Pad({ heightPx, columns }: { readonly heightPx: number; readonly columns: number }) {
  return (
    <tr aria-hidden="true" className="pad">
      <td colSpan={columns} style={{ height: heightPx }} />
    </tr>
  );
}

function HeadCell<T>(props: {
  readonly column: Column<T>;
  readonly sort: TableSort | undefined;
  readonly onTurn: () => void;
}) {
  const { label, sortBy, isNumber, id } = props.column;
  const isSorted = props.sort?.column === id;
  const Arrow = props.sort?.isDescending ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      className={isNumber ? "number" : undefined}
      aria-sort={isSorted ? (props.sort?.isDescending ? "descending" : "ascending") : undefined}
    >
      {sortBy ? (
        <button type="button" onClick={props.onTurn}>
          {label}
          <Arrow className={isSorted ? "ico" : "ico none"} />
        </button>
      ) : (
        label
      )}
    </th>
  );
}

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Sorts numbers by value and texts alphabetically; equal rows keep their order. */
export function sortRows<T>(
  rows: readonly T[],
  columns: readonly Pick<Column<T>, "id" | "sortBy">[],
  sort: TableSort | undefined,
): readonly T[] {
  const sortBy = columns.find(({ id }) => id === sort?.column)?.sortBy;
  if (!sortBy) return rows;
  const sign = sort?.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [sortBy(a), sortBy(b)];
    if (typeof left === "number" && typeof right === "number") return sign * (left - right);
    return sign * collator.compare(String(left), String(right));
  });
}
