import type { FileForm } from "./formats.ts";
import { BEGINNING, textPiece } from "./format.ts";

/** One list, a row on each line. */
export const jsonForm: FileForm = {
  mediaType: "application/json",
  rowsMax: Number.POSITIVE_INFINITY,
  begin: async () => textPiece("[", BEGINNING, 0),
  add: async (before, columns, rows) => {
    const names = columns.map(({ name }) => name);
    const lines = rows.map((row, index) => {
      const named = Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
      return `${before.rows + index === 0 ? "\n" : ",\n"}${JSON.stringify(named)}`;
    });
    return textPiece(lines.join(""), before, rows.length);
  },
  end: async (before) => textPiece("\n]\n", before, 0),
};
