import { useMemo, useRef } from "react";
import { useRowWindow } from "../../ui/behaviour/row-window.ts";
import { type Answer, type Cells, isNumberColumn } from "./chart-data.ts";
import { toCellText } from "./result-text.ts";

const ROW_PX = 28;
const LETTER_PX = 7.4;
const [WIDTH_MIN, WIDTH_MAX] = [72, 340];
const MEASURED = 60;

/** The rows of a result. Only visible ones are rendered; column widths follow the content. */
export function ResultTable({ answer }: { readonly answer: Answer }) {
  const box = useRef<HTMLDivElement>(null);
  const rows = answer.rows as readonly Cells[];
  const { columns } = answer;
  const widths = useMemo(() => columns.map((_, at) => widthOf(answer, at)), [answer, columns]);
  const { from, to } = useRowWindow(box, ROW_PX, rows.length);
  const template = `52px ${widths.map((width) => `${width}px`).join(" ")} 1fr`;
  return (
    <div
      ref={box}
      className="sql-table scroll"
      role="table"
      aria-label="Result rows"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      tabIndex={0}
    >
      <div className="sql-head" role="row" style={{ gridTemplateColumns: template }}>
        <span role="columnheader" className="sql-number">
          <span className="hide">Row</span>
        </span>
        {columns.map((column) => (
          <span
            key={column.name}
            role="columnheader"
            className={isNumberColumn(column) ? "right cut" : "cut"}
            title={`${column.name}: ${column.type}`}
          >
            {column.name} <small className="muted">{column.type}</small>
          </span>
        ))}
      </div>
      <div role="rowgroup" className="sql-rows" style={{ height: rows.length * ROW_PX }}>
        {rows.slice(from, to).map((row, n) => (
          <div
            key={from + n}
            role="row"
            aria-rowindex={from + n + 2}
            className="sql-row"
            style={{ top: (from + n) * ROW_PX, gridTemplateColumns: template }}
          >
            <span role="cell" className="sql-number">
              {from + n + 1}
            </span>
            {columns.map((column, at) => (
              <Cell key={column.name} value={row[at]} isNumber={isNumberColumn(column)} />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function Cell({ value, isNumber }: { readonly value: unknown; readonly isNumber: boolean }) {
  if (value === null || value === undefined) {
    return (
      <span role="cell" className="muted">
        null
      </span>
    );
  }
  const text = toCellText(value);
  return (
    <span role="cell" className={isNumber ? "right cut" : "cut"} title={text.slice(0, 500)}>
      {text.slice(0, 300)}
    </span>
  );
}

function widthOf({ columns, rows }: Answer, at: number): number {
  const { name = "", type = "" } = columns[at] ?? {};
  const lengths = (rows as readonly Cells[])
    .slice(0, MEASURED)
    .map((row) => toCellText(row[at]).length);
  const letters = Math.max(name.length + type.length + 2, ...lengths) + 2;
  return Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, letters * LETTER_PX)));
}
