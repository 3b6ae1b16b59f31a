/** Converts a result to text: cells, a CSV file, and lines for spreadsheets. */
import type { Answer, Cells } from "./chart-data.ts";

export function toCellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Spreadsheets interpret texts with this start as formulas. */
const FORMULA = /^[=+\-@\t\r]/;

export function toCsv({ columns, rows }: Answer): string {
  const lines = [columns.map(({ name }) => name), ...(rows as readonly Cells[])];
  return lines.map((line) => `${line.map(toCsvCell).join(",")}\r\n`).join("");
}

function toCsvCell(value: unknown): string {
  const text = toCellText(value);
  const safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns tab-separated lines for the clipboard. */
export function toTabs({ columns, rows }: Answer): string {
  const lines = [columns.map(({ name }) => name), ...(rows as readonly Cells[])];
  return lines
    .map((line) => line.map((value) => toCellText(value).replaceAll(/[\t\r\n]+/g, " ")).join("\t"))
    .join("\n");
}
