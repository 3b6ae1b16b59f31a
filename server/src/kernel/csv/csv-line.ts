import Type, { type Static } from "typebox";

/** Formats a line of a CSV file (RFC 4180). Null is an empty cell, an empty text a pair of quotes. */
export function formatCsvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => (cell === null ? "" : quoteCell(cell))).join(",")}\r\n`;
}

function quoteCell(cell: string): string {
  // Some parsers trim unquoted cells.
  if (cell !== "" && !/[",\r\n]|^\s|\s$/.test(cell)) return cell;
  return `"${cell.replaceAll('"', '""')}"`;
}

/** CSV injection: spreadsheets run cells with these prefixes as formulas, which can send data to other servers. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * Handling of texts that spreadsheets would run as formulas: escaped with a leading quote, or unchanged. A file
 * written and read with the same option returns the original texts.
 */
export const Formulas = Type.Enum(["escaped", "raw"], {
  default: "escaped",
  description:
    "`escaped` puts a `'` before text that a spreadsheet would read as a formula. `raw` writes the text unchanged",
});
export type Formulas = Static<typeof Formulas>;

/** Escapes a formula with a leading quote, which most spreadsheets hide. */
export function escapeFormula(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** Reverts `escapeFormula`. */
export function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
