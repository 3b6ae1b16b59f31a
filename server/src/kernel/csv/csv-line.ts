/** A line of a CSV file (RFC 4180). Null is an empty cell, an empty text one with nothing in quotes. */
export function formatCsvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => (cell === null ? "" : quotedCell(cell))).join(",")}\r\n`;
}

function quotedCell(cell: string): string {
  // Some readers cut off the spaces around what is not quoted.
  if (cell !== "" && !/[",\r\n]|^\s|\s$/.test(cell)) return cell;
  return `"${cell.replaceAll('"', '""')}"`;
}

/** A spreadsheet takes what begins like this for a formula, which may reach out and tell others things. */
const FORMULA = /^[=+\-@\t\r]/;

/** A text that no spreadsheet runs: with a mark in front that most of them hide. */
export function escapeFormula(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}
