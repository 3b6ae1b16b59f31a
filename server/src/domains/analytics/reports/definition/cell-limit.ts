/** Limits the number of values in a response: rows times columns. */
import type { Definition } from "../report.ts";

/** The limit of a single report. */
export const REPORT_CELLS_MAX = 250_000;
/** The limit per report of a dashboard, which returns up to 50 of them. */
export const WIDGET_CELLS_MAX = 50_000;

/** Lowers the row limit of a report so that its response has at most this many values; a lower limit stays. */
export function limitCells(definition: Definition, cellsMax: number): Definition {
  const { groupBy, timeBucket, timeParts = [], aggregates, compare, limit } = definition;
  const values = aggregates.length * (compare === undefined ? 1 : 2);
  const columns = groupBy.length + timeParts.length + (timeBucket ? 1 : 0) + values;
  const rowsMax = Math.floor(cellsMax / Math.max(1, columns));
  return rowsMax < limit ? { ...definition, limit: rowsMax } : definition;
}
