import Type, { type Static } from "typebox";

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
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * How texts that a spreadsheet would run are written and read: with a quote in front, or as they are. A
 * file that was written so and is read so has the texts that it was made from.
 */
export const Formulas = Type.Enum(["escaped", "raw"], {
  default: "escaped",
  description:
    "`escaped`: a text that a spreadsheet would take for a formula has a `'` in front; `raw`: it has not",
});
export type Formulas = Static<typeof Formulas>;

/** Escapes a text that a spreadsheet would run, by a quote in front that most of them hide. */
export function escapeFormula(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** The text that was escaped to this one. */
export function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
