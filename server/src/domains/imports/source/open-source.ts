/** Opens a file as rows. The format is detected from the content unless the user sets it. */
import Type, { type Static } from "typebox";
import { line, nullable, object } from "#kernel/schema/schema.ts";
import { CsvScanner, detectSeparator } from "./csv-scanner.ts";
import { decodeText, detectEncoding, type Encoding, ENCODINGS } from "./charset.ts";
import { JsonScanner } from "./json-scanner.ts";
import { readSheet } from "./sheet-rows.ts";
import { type RowBatches, SourceError, type SourceRow } from "./source-row.ts";
import { openWorkbook } from "./workbook.ts";
import type { RandomAccess } from "./zip.ts";

const formatFields = {
  type: Type.Enum(["csv", "xlsx", "json"], {
    description: "`csv`: text with separators. `json`: a list of objects, or one object per line",
  }),
  encoding: nullable(Type.Enum([...ENCODINGS], { description: "Encoding of a text file" })),
  separator: nullable(
    Type.String({
      minLength: 1,
      maxLength: 1,
      description: "Separator of a text file: `,` `;` `|` or a tab",
    }),
  ),
  header: Type.Boolean({ description: "Whether the first row contains column names" }),
  sheet: nullable(line(200, "Sheet of a spreadsheet")),
};

export const SourceFormat = Type.Object(
  {
    ...formatFields,
    sheets: Type.Array(Type.String(), { description: "Sheets of a spreadsheet, in order" }),
  },
  { title: "SourceFormat" },
);
export type SourceFormat = Static<typeof SourceFormat>;

/** The format options that a user can set. */
export const FormatInput = object({
  type: Type.Optional(formatFields.type),
  encoding: Type.Optional(Type.Enum([...ENCODINGS])),
  separator: Type.Optional(Type.String({ minLength: 1, maxLength: 1 })),
  header: Type.Optional(Type.Boolean()),
  sheet: Type.Optional(line(200)),
});
export type FormatInput = Static<typeof FormatInput>;

export interface OpenSource {
  readonly format: Omit<SourceFormat, "header">;
  readonly rows: RowBatches;
  /** The column names, if the format defines them. Complete after all rows were read. */
  readonly columns?: readonly string[];
}

const HEAD_CHARACTERS = 65_536;
const ZIP_SIGNATURE = "504b";

export async function openSource(file: RandomAccess, input: FormatInput): Promise<OpenSource> {
  const head = await readHead(file);
  if (head.length === 0) throw new SourceError("The file is empty.");
  const isZip = Buffer.from(head.subarray(0, 2)).toString("hex") === ZIP_SIGNATURE;
  if (input.type === "xlsx" || (isZip && input.type === undefined))
    return openSheet(file, input.sheet);
  const encoding = input.encoding ?? (await detectEncoding(file.read()));
  const text = new TextDecoder(encoding).decode(head, { stream: true }).slice(0, HEAD_CHARACTERS);
  const looksLikeJson = /^\s*(\[\s*[[{\]]|\{\s*["}])/.test(text);
  return input.type === "json" || (looksLikeJson && input.type === undefined)
    ? openJson(file, encoding)
    : openText(file, encoding, input.separator ?? detectSeparator(text));
}

async function readHead(file: RandomAccess): Promise<Uint8Array> {
  const to = Math.min(file.size, HEAD_CHARACTERS);
  return Buffer.concat(await Array.fromAsync(file.read({ from: 0, to })));
}

async function openSheet(file: RandomAccess, name: string | undefined): Promise<OpenSource> {
  const workbook = await openWorkbook(file);
  const names = workbook.sheets.map((sheet) => sheet.name);
  const sheet =
    name === undefined ? workbook.sheets[0] : workbook.sheets.find((each) => each.name === name);
  if (!sheet) throw new SourceError(`The spreadsheet does not have a sheet ${name}.`);
  const format = {
    type: "xlsx",
    encoding: null,
    separator: null,
    sheet: sheet.name,
    sheets: names,
  } as const;
  return { format, rows: readSheet(workbook, sheet) };
}

function openText(file: RandomAccess, encoding: Encoding, separator: string): OpenSource {
  const scanner = new CsvScanner(separator);
  const format = { type: "csv" as const, encoding, separator, sheet: null, sheets: [] as string[] };
  return { format, rows: withoutHint(scanText(file, encoding, scanner)) };
}

/** Some spreadsheets write `sep=;` into the first line. */
async function* withoutHint(batches: RowBatches): RowBatches {
  for await (const rows of batches) {
    const [first, ...others] = rows;
    const isHint =
      first?.line === 1 && /^sep=/i.test(String(first.cells[0])) && first.cells.length <= 2;
    yield isHint ? others : rows;
  }
}

function openJson(file: RandomAccess, encoding: Encoding): OpenSource {
  const scanner = new JsonScanner();
  const format = {
    type: "json" as const,
    encoding,
    separator: null,
    sheet: null,
    sheets: [] as string[],
  };
  return { format, rows: scanText(file, encoding, scanner), columns: scanner.columns };
}

interface Scanner {
  push(text: string): SourceRow[];
  end(): SourceRow[];
}

async function* scanText(file: RandomAccess, encoding: Encoding, scanner: Scanner): RowBatches {
  for await (const text of decodeText(file.read(), encoding)) {
    const rows = scanner.push(text);
    if (rows.length > 0) yield rows;
  }
  yield scanner.end();
}
