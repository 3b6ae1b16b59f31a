import { formatValue, heatOf, type Mark } from "@millrace/client/chart";
import { type FigureProps, Value } from "./value.tsx";

const STRENGTHS = 8;

/** A pivot table with totals, or a heat map. */
export function Grid({ figure, label, onPick }: FigureProps<"grid">) {
  const { look, rows, columns, cells, rowTotals, columnTotals, total, style } = figure;
  const isHeat = look === "heat";
  const hasTotals = total !== undefined && !isHeat;
  const max = Math.max(0, ...cells.flat().map((mark) => mark?.value ?? 0));
  const cell = (mark: Mark | undefined, about: string) =>
    mark && mark.value !== null ? (
      <Value words={formatValue(mark.value, style, { short: true })} {...{ about, mark, onPick }} />
    ) : (
      <span className="muted">{isHeat ? "" : "–"}</span>
    );
  return (
    <div className="figure-scroll" tabIndex={0} role="region" aria-label={label}>
      <table className={isHeat ? "figure-heat" : "figure-pivot"}>
        <caption className="hide">{label}</caption>
        <thead>
          <tr>
            <td />
            {columns.map((name, n) => (
              <th key={n} scope="col">
                {isHeat ? name.replace(":00", "") : name}
              </th>
            ))}
            {hasTotals && <th scope="col">Total</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((name, row) => (
            <tr key={row}>
              <th scope="row">{name}</th>
              {columns.map((column, n) => {
                const mark = cells[row]?.[n];
                const strength = Math.ceil(heatOf(mark, max) * STRENGTHS);
                return (
                  <td key={n} className={isHeat ? `heat-${strength}` : ""}>
                    {cell(mark, `${name}, ${column}`)}
                  </td>
                );
              })}
              {hasTotals && <td className="total">{cell(rowTotals[row], `${name}, total`)}</td>}
            </tr>
          ))}
        </tbody>
        {hasTotals && (
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              {columns.map((name, n) => (
                <td key={n}>{cell(columnTotals[n], `${name}, total`)}</td>
              ))}
              <td className="total">{cell(total, "Total")}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}
