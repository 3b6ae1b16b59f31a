import { formatCsvLine, escapeFormula } from "#kernel/csv/csv-line.ts";
import {
  type FileColumn,
  type FileFormat,
  type FileRow,
  INITIAL_STATE,
  textChunk,
} from "./file-format.ts";
import { xlsxFormat } from "./xlsx.ts";

/** Kinds whose cells contain text from users. */
const TEXTS = new Set(["text", "json", "texts"]);

/** RFC 4180. A text that a spreadsheet would execute is prefixed. */
const csvFormat: FileFormat = {
  mediaType: "text/csv",
  rowsMax: Number.POSITIVE_INFINITY,
  begin: async (columns) =>
    textChunk(
      formatCsvLine(columns.map(({ name, title }) => escapeFormula(title ?? name))),
      INITIAL_STATE,
      0,
    ),
  add: async (before, columns, rows) => {
    const lines = rows.map((row) =>
      formatCsvLine(columns.map((column) => csvCell(column, row[column.name]))),
    );
    return textChunk(lines.join(""), before, rows.length);
  },
  end: async (before) => textChunk("", before, 0),
};

function csvCell({ kind }: FileColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" && kind !== "json" ? value : JSON.stringify(value);
  return TEXTS.has(kind) ? escapeFormula(text) : text;
}

/** A JSON list with one row per line. */
const jsonFormat: FileFormat = {
  mediaType: "application/json",
  rowsMax: Number.POSITIVE_INFINITY,
  begin: async () => textChunk("[", INITIAL_STATE, 0),
  add: async (before, columns, rows) => {
    const names = columns.map(({ name }) => name);
    const lines = rows.map((row, index) => {
      const named = Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
      return `${before.rows + index === 0 ? "\n" : ",\n"}${JSON.stringify(named)}`;
    });
    return textChunk(lines.join(""), before, rows.length);
  },
  end: async (before) => textChunk("\n]\n", before, 0),
};

export const FORMATS = ["csv", "json", "xlsx"] as const;
export type Format = (typeof FORMATS)[number];

export const FILE_FORMATS: Readonly<Record<Format, FileFormat>> = {
  csv: csvFormat,
  json: jsonFormat,
  xlsx: xlsxFormat,
};

/** The media types of all formats. */
export const MEDIA_TYPES = FORMATS.map((format) => FILE_FORMATS[format].mediaType).join(", ");

/** Writes rows in memory as a complete file, a few at a time. */
export async function* fileChunks(
  format: Format,
  columns: readonly FileColumn[],
  rows: readonly FileRow[],
): AsyncGenerator<Buffer> {
  const fileFormat = FILE_FORMATS[format];
  let chunk = await fileFormat.begin(columns);
  yield chunk.bytes;
  for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
    chunk = await fileFormat.add(chunk.state, columns, rows.slice(from, from + CHUNK_ROWS));
    yield chunk.bytes;
  }
  yield (await fileFormat.end(chunk.state)).bytes;
}

const CHUNK_ROWS = 500;
