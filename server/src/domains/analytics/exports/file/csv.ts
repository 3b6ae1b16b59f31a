import { csvLine, unrunnable } from "#kernel/csv/csv-line.ts";
import type { FileColumn, FileForm } from "./formats.ts";
import { BEGINNING, textPiece } from "./format.ts";

/** Those whose cells somebody may have written as they liked. */
const TEXTS = new Set(["text", "json", "texts"]);

/** RFC 4180. A text that a spreadsheet would run gets a mark in front. */
export const csvForm: FileForm = {
  mediaType: "text/csv",
  rowsMax: Number.POSITIVE_INFINITY,
  begin: async (columns) =>
    textPiece(csvLine(columns.map(({ name }) => unrunnable(name))), BEGINNING, 0),
  add: async (before, columns, rows) => {
    const lines = rows.map((row) =>
      csvLine(columns.map((column) => cellOf(column, row[column.name]))),
    );
    return textPiece(lines.join(""), before, rows.length);
  },
  end: async (before) => textPiece("", before, 0),
};

function cellOf({ kind }: FileColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" && kind !== "json" ? value : JSON.stringify(value);
  return TEXTS.has(kind) ? unrunnable(text) : text;
}
