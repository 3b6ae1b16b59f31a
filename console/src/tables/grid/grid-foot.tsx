import { Menu } from "../../ui/overlay/menu.tsx";
import type { GridColumn } from "../column/column.ts";
import { isNumber } from "../column/column.ts";
import { figuresOf, type Layout, summaryOf } from "../views/layout.ts";
import { figureText, figureWord } from "../cell/figure.ts";
import type { ColumnLines } from "./grid-row.tsx";

interface GridFootProps {
  readonly lines: ColumnLines;
  readonly summaries: Layout["summaries"];
  readonly figures: Readonly<Record<string, unknown>>;
  readonly widthPx: number;
  readonly onChange: (column: GridColumn, figure: string) => void;
}

/** A summary below each column, for all records of the list. */
export function GridFoot({ lines, summaries, figures, widthPx, onChange }: GridFootProps) {
  const { columns, edges, frozen, sight, headPx } = lines;
  const shown = [...columns.slice(0, frozen), ...columns.slice(sight.from, sight.to)];
  const gap = (edges[sight.from] ?? 0) - (edges[frozen] ?? 0);
  return (
    <div className="grid-foot" role="row" style={{ width: widthPx }}>
      <div role="gridcell" className="grid-number" style={{ width: headPx }} />
      {shown.map((column, n) => {
        const at = n < frozen ? n : sight.from + n - frozen;
        const figure = summaryOf(column, summaries);
        const isFrozen = at < frozen;
        return (
          <div
            key={column.name}
            role="gridcell"
            className={`foot-cell${isFrozen ? " frozen" : ""}${isNumber(column) ? " number" : ""}`}
            style={{
              width: (edges[at + 1] ?? 0) - (edges[at] ?? 0),
              ...(n === frozen && gap > 0 && { marginLeft: gap }),
              ...(isFrozen && { left: headPx + (edges[at] ?? 0) }),
            }}
          >
            <Menu
              label={`Summary of ${column.title}`}
              className={figure === "none" ? "foot-figure none" : "foot-figure"}
              align="start"
              items={figuresOf(column).map((one) => ({
                label: figureWord(one),
                onPick: () => onChange(column, one),
              }))}
            >
              {figure === "none" ? (
                <span className="muted">Summary</span>
              ) : (
                <>
                  <span className="muted">{figureWord(figure)}</span>
                  {figureText(column, figure, figures[`${figure}:${column.name}`])}
                </>
              )}
            </Menu>
          </div>
        );
      })}
    </div>
  );
}
