/** How many values one answer may have: rows times columns. */
import type { Definition } from "../report.ts";

/** Of a report alone. */
export const REPORT_CELLS_MAX = 250_000;
/** Of one report of a dashboard, which answers up to 50 of them together. */
export const WIDGET_CELLS_MAX = 50_000;

/** The report with a limit of rows that keeps its answer within so many values; a lower one of its own stays. */
export function limitCells(definition: Definition, cellsMax: number): Definition {
  const { groupBy, timeBucket, timeParts = [], aggregates, compare, limit } = definition;
  const values = aggregates.length * (compare === undefined ? 1 : 2);
  const columns = groupBy.length + timeParts.length + (timeBucket ? 1 : 0) + values;
  const rowsMax = Math.floor(cellsMax / Math.max(1, columns));
  return rowsMax < limit ? { ...definition, limit: rowsMax } : definition;
}
