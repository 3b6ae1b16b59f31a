/** Converts cells to and from spreadsheet formats: tab-separated text and an HTML table. */

import { type Cells, parseCells } from "../../ui/readable/cells.ts";

/** Separates cells with tabs. Cells with a tab, line break or quote are quoted, as in spreadsheets. */
export function toTsv(cells: Cells): string {
  return cells.map((row) => row.map(quote).join("\t")).join("\n");
}

const quote = (cell: string): string =>
  /[\t\n\r]|^"/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

export function toHtml(cells: Cells): string {
  const rows = cells.map(
    (row) => `<tr>${row.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\n": "<br>",
};
const escape = (text: string): string => text.replaceAll(/[&<>\n]/g, (one) => ESCAPES[one] ?? one);

/** Parses clipboard text from a spreadsheet. */
export function parseTsv(text: string): Cells {
  return parseCells(text.replace(/\r?\n$/, ""), "\t");
}

/** Repeats the pasted cells to fill a larger selection, as in spreadsheets. */
export function tileCells(cells: Cells, rows: number, columns: number): Cells {
  const [height, width] = [cells.length, Math.max(...cells.map((row) => row.length), 1)];
  const isWhole = rows % height === 0 && columns % width === 0;
  if (!isWhole || (rows === height && columns === width)) return cells;
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (__, column) => cells[row % height]?.[column % width] ?? ""),
  );
}
