/**
 * Rows as a file, piece by piece. What a form must remember from one piece to the next is plain JSON, so
 * that a file whose beginning was written by a process that died is finished by another.
 */
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import { formatCsvLine, escapeFormula } from "#kernel/csv/csv-line.ts";
import { INITIAL_STATE, textChunk } from "./format.ts";
import { xlsxForm } from "./xlsx.ts";

/** Those whose cells somebody may have written as they liked. */
const TEXTS = new Set(["text", "json", "texts"]);

/** RFC 4180. A text that a spreadsheet would run gets a mark in front. */
const csvForm: FileFormat = {
  mediaType: "text/csv",
  rowsMax: Number.POSITIVE_INFINITY,
  begin: async (columns) =>
    textChunk(formatCsvLine(columns.map(({ name }) => escapeFormula(name))), INITIAL_STATE, 0),
  add: async (before, columns, rows) => {
    const lines = rows.map((row) =>
      formatCsvLine(columns.map((column) => cellOf(column, row[column.name]))),
    );
    return textChunk(lines.join(""), before, rows.length);
  },
  end: async (before) => textChunk("", before, 0),
};

function cellOf({ kind }: FileColumn, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" && kind !== "json" ? value : JSON.stringify(value);
  return TEXTS.has(kind) ? escapeFormula(text) : text;
}

/** One list, a row on each line. */
const jsonForm: FileFormat = {
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

export interface FileColumn {
  readonly name: string;
  readonly kind: ConditionFieldKind;
}

/** How far a file is. */
export interface FormatState {
  /** Rows so far. */
  readonly rows: number;
  /** Bytes so far; of what is compressed those before, its checksum, and the bytes that came of it. */
  readonly plainBytes: number;
  readonly crc: number;
  readonly packedBytes: number;
}

export interface FileChunk {
  readonly bytes: Buffer;
  readonly state: FormatState;
}

export type FileRow = Readonly<Record<string, unknown>>;

export interface FileFormat {
  readonly mediaType: string;
  readonly rowsMax: number;
  readonly begin: (columns: readonly FileColumn[]) => Promise<FileChunk>;
  readonly add: (
    state: FormatState,
    columns: readonly FileColumn[],
    rows: readonly FileRow[],
  ) => Promise<FileChunk>;
  readonly end: (state: FormatState) => Promise<FileChunk>;
}

export const FILE_FORMATS: Readonly<Record<Format, FileFormat>> = {
  csv: csvForm,
  json: jsonForm,
  xlsx: xlsxForm,
};

/** Of every file that there may be. */
export const MEDIA_TYPES = FORMATS.map((format) => FILE_FORMATS[format].mediaType).join(", ");

/** A whole file of rows that are there already, a few at a time. */
export async function* piecesOf(
  format: Format,
  columns: readonly FileColumn[],
  rows: readonly FileRow[],
): AsyncGenerator<Buffer> {
  const form = FILE_FORMATS[format];
  let piece = await form.begin(columns);
  yield piece.bytes;
  for (let from = 0; from < rows.length; from += PIECE_ROWS) {
    piece = await form.add(piece.state, columns, rows.slice(from, from + PIECE_ROWS));
    yield piece.bytes;
  }
  yield (await form.end(piece.state)).bytes;
}

const PIECE_ROWS = 500;
