import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { invalidField } from "../operation/failure.ts";

/** More than so many belong in several files. */
export const CSV_ROWS_MAX = 100_000;
/** So much of the text is read at a time, and so many rows, before others get their turn. */
const CHUNK_BYTES = 4_096;
const TURN_ROWS = 500;

/** A row of a CSV file; a cell with nothing in it, not even quotes, is null. */
export interface CsvRow {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly (string | null)[];
}

export interface CsvFile {
  readonly header: readonly string[];
  readonly rows: readonly CsvRow[];
}

/** Reads a CSV file; one that is none is refused with the line. */
export async function parseCsv(text: string, rowsMax = CSV_ROWS_MAX): Promise<CsvFile> {
  const rows: CsvRow[] = [];
  try {
    for await (const row of rowsOf(text)) {
      rows.push(row);
      if (rows.length % TURN_ROWS === 0) await new Promise(setImmediate);
      if (rows.length > rowsMax + 1) {
        throw invalidField(
          `line ${row.line}`,
          `is beyond the ${rowsMax} rows that one file may have`,
        );
      }
    }
  } catch (error) {
    if (error instanceof CsvError) throw invalidField(placeOf(error, text), wordsOf(error));
    throw error;
  }
  const [header, ...others] = rows;
  if (!header) throw invalidField("line 1", "must be the names of fields");
  return { header: header.cells.map((cell) => cell?.trim() ?? ""), rows: others };
}

async function* rowsOf(text: string): AsyncGenerator<CsvRow> {
  const parser = parse({
    bom: true,
    info: true,
    // How many cells a row has is for the caller to judge, who may want the others.
    relax_column_count: true,
    skip_empty_lines: true,
    // Whichever it finds first would otherwise be the only one.
    record_delimiter: ["\r\n", "\n", "\r"],
    cast: (cell, { quoting }) => (cell === "" && !quoting ? null : cell),
  });
  const bytes = Buffer.from(text);
  Readable.from(chunksOf(bytes), { objectMode: false }).pipe(parser);
  let [read, line] = [0, 1];
  for await (const parsed of parser) {
    // With `info` set, each row comes with where the parser was.
    const { record, info } = parsed as { record: (string | null)[]; info: { bytes: number } };
    const row = bytes.toString("latin1", read, info.bytes);
    const empty = /^[\r\n]*/.exec(row)?.[0] ?? "";
    yield { line: line + breaksIn(empty), cells: record };
    line += breaksIn(row);
    read = info.bytes;
  }
}

/** In bytes: the half of a character at the end of a text would be lost. */
function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}

/** The parser's own count takes what ends a line within quotes for two. */
function breaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** The line that the parser was in. */
function placeOf(error: CsvError, text: string): string {
  const { bytes } = error as CsvError & { readonly bytes?: unknown };
  const read = Buffer.from(text).toString("latin1", 0, typeof bytes === "number" ? bytes : 0);
  return `line ${1 + breaksIn(read)}`;
}

/** The parser quotes what it met, which nobody needs to read again. */
function wordsOf({ code }: CsvError): string {
  return code === "CSV_QUOTE_NOT_CLOSED"
    ? "has a quote that is never closed"
    : "has a quote where none may be";
}
