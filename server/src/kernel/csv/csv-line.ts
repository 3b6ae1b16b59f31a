/** A line of a CSV file (RFC 4180). Null is an empty cell, an empty text a pair of quotes. */
export function formatCsvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => (cell === null ? "" : quoteCell(cell))).join(",")}\r\n`;
}

function quoteCell(cell: string): string {
  // Some readers trim the spaces of unquoted cells.
  if (cell !== "" && !/[",\r\n]|^\s|\s$/.test(cell)) return cell;
  return `"${cell.replaceAll('"', '""')}"`;
}

/** CSV injection: a spreadsheet takes a cell that begins so for a formula, which may send data elsewhere. */
const FORMULA = /^[=+\-@\t\r]/;

/** Escapes a text that a spreadsheet would run, by a quote in front that most of them hide. */
export function escapeFormula(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}
