import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { type Formulas, unescapeFormula } from "./csv-line.ts";
import { invalidField } from "../operation/failure.ts";

/** The rows of one file. */
export const CSV_ROWS_MAX = 100_000;
const CHUNK_BYTES = 4_096;
/** Rows that are parsed before the event loop gets a turn. */
const TURN_ROWS = 500;

/** A row of a CSV file; an empty cell without quotes is null. */
export interface CsvRow {
  /** The line that it begins in, from 1. */
  readonly line: number;
  readonly cells: readonly (string | null)[];
}

export interface CsvFile {
  readonly header: readonly string[];
  readonly rows: readonly CsvRow[];
}

/** How a file is read. */
export interface CsvOptions {
  readonly formulas?: Formulas;
  readonly rowsMax?: number;
}

/** Parses a CSV file; a syntax error is a failure with its line. */
export async function parseCsv(
  text: string,
  { formulas = "escaped", rowsMax = CSV_ROWS_MAX }: CsvOptions = {},
): Promise<CsvFile> {
  const rows: CsvRow[] = [];
  try {
    for await (const row of parseRows(text)) {
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
    if (error instanceof CsvError) throw invalidField(errorLine(error, text), errorMessage(error));
    throw error;
  }
  const [header, ...others] = rows;
  if (!header) throw invalidField("line 1", "must be the names of fields");
  const names = header.cells.map((cell) => cell?.trim() ?? "");
  if (formulas === "raw") return { header: names, rows: others };
  const unescape = (cell: string | null) => (cell === null ? null : unescapeFormula(cell));
  return {
    header: names,
    rows: others.map(({ line, cells }) => ({ line, cells: cells.map(unescape) })),
  };
}

async function* parseRows(text: string): AsyncGenerator<CsvRow> {
  const parser = parse({
    bom: true,
    info: true,
    // The caller checks the number of cells: it may want the other rows.
    relax_column_count: true,
    skip_empty_lines: true,
    // The first that it finds would otherwise be the only one.
    record_delimiter: ["\r\n", "\n", "\r"],
    cast: (cell, { quoting }) => (cell === "" && !quoting ? null : cell),
  });
  const bytes = Buffer.from(text);
  Readable.from(chunksOf(bytes), { objectMode: false }).pipe(parser);
  let [read, line] = [0, 1];
  for await (const parsed of parser) {
    // With `info` set, each row comes with the parser's position.
    const { record, info } = parsed as { record: (string | null)[]; info: { bytes: number } };
    const row = bytes.toString("latin1", read, info.bytes);
    const empty = /^[\r\n]*/.exec(row)?.[0] ?? "";
    yield { line: line + countLineBreaks(empty), cells: record };
    line += countLineBreaks(row);
    read = info.bytes;
  }
}

/** In bytes: half a character at the end of a chunk of text would be lost. */
function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}

/** The parser's own count counts a line break within quotes twice. */
function countLineBreaks(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** The line that the parser was in. */
function errorLine(error: CsvError, text: string): string {
  const { bytes } = error as CsvError & { readonly bytes?: unknown };
  const read = Buffer.from(text).toString("latin1", 0, typeof bytes === "number" ? bytes : 0);
  return `line ${1 + countLineBreaks(read)}`;
}

/** Without the parser's own message, which quotes the file. */
function errorMessage({ code }: CsvError): string {
  return code === "CSV_QUOTE_NOT_CLOSED"
    ? "has a quote that is never closed"
    : "has a quote where none may be";
}
