import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { type Formulas, unescapeFormula } from "./csv-line.ts";
import { invalidField } from "../operation/failure.ts";
import { TurnTimer } from "../work/turn-timer.ts";

/** The maximum number of rows per file. */
export const CSV_ROWS_MAX = 100_000;
const CHUNK_BYTES = 4_096;
/** More than the maximum number of table columns. Limits the parsing of a line without an end. */
const CELLS_MAX = 2_000;
const ROW_CHARACTERS_MAX = 2_097_152;

/** A row of a CSV file. An empty cell without quotes is null. */
export interface CsvRow {
  /** The first line of the row, counted from 1. */
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

/** Parses a CSV file. Reports a syntax error as a failure with the line number. */
export async function parseCsv(
  text: string,
  { formulas = "escaped", rowsMax = CSV_ROWS_MAX }: CsvOptions = {},
): Promise<CsvFile> {
  const rows: CsvRow[] = [];
  let header: readonly string[] | undefined;
  try {
    for await (const row of parseRows(text)) {
      if (!header) {
        const { cells } = formulas === "raw" ? row : withoutEscapes(row);
        header = cells.map((cell) => cell?.trim() ?? "");
        continue;
      }
      rows.push(formulas === "raw" ? row : withoutEscapes(row));
      if (rows.length > rowsMax) {
        throw invalidField(`line ${row.line}`, `exceeds the limit of ${rowsMax} rows in one file`);
      }
    }
  } catch (error) {
    if (error instanceof CsvError) throw invalidField(errorLine(error, text), errorMessage(error));
    throw error;
  }
  if (!header) throw invalidField("line 1", "must contain the titles or names of fields");
  return { header, rows };
}

function withoutEscapes({ line, cells }: CsvRow): CsvRow {
  return { line, cells: cells.map((cell) => (cell === null ? null : unescapeFormula(cell))) };
}

async function* parseRows(text: string): AsyncGenerator<CsvRow> {
  const parser = parse({
    bom: true,
    info: true,
    // The caller checks the number of cells, because it may want to import the other rows.
    relax_column_count: true,
    skip_empty_lines: true,
    // By default the parser accepts only the first line ending that it finds.
    record_delimiter: ["\r\n", "\n", "\r"],
    max_record_size: ROW_CHARACTERS_MAX,
    cast: (cell, { quoting, index, lines }) => {
      if (index < CELLS_MAX) return cell === "" && !quoting ? null : cell;
      throw invalidField(`line ${lines}`, `has more than ${CELLS_MAX} cells`);
    },
  });
  const bytes = Buffer.from(text);
  Readable.from(splitChunks(bytes), { objectMode: false }).pipe(parser);
  let [read, line] = [0, 1];
  for await (const parsed of parser) {
    // With `info`, each row has the parser's position.
    const { record, info } = parsed as { record: (string | null)[]; info: { bytes: number } };
    const row = bytes.toString("latin1", read, info.bytes);
    const empty = /^[\r\n]*/.exec(row)?.[0] ?? "";
    yield { line: line + countLineBreaks(empty), cells: record };
    line += countLineBreaks(row);
    read = info.bytes;
  }
}

/** Splits bytes, not characters: half a character at the end of a text chunk would be lost. */
async function* splitChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  const turn = new TurnTimer();
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    if (turn.isOver()) await turn.next();
    yield bytes.subarray(start, start + CHUNK_BYTES);
  }
}

/** The parser counts a line break within quotes twice. */
function countLineBreaks(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** The line of a syntax error. */
function errorLine(error: CsvError, text: string): string {
  const { bytes } = error as CsvError & { readonly bytes?: unknown };
  const read = Buffer.from(text).toString("latin1", 0, typeof bytes === "number" ? bytes : 0);
  return `line ${1 + countLineBreaks(read)}`;
}

/** The parser's own message quotes the file, so it is replaced. */
function errorMessage({ code }: CsvError): string {
  if (code === "CSV_MAX_RECORD_SIZE") {
    return `is a row of more than ${ROW_CHARACTERS_MAX} characters`;
  }
  return code === "CSV_QUOTE_NOT_CLOSED"
    ? "has an unclosed quote"
    : "has a quote in an invalid position";
}
