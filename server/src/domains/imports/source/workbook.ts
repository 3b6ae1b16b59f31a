/** The shared parts of a spreadsheet: sheet names, shared texts, and number formats of dates. */
import { detachText, ROW_CHARACTERS_MAX, SourceError } from "./source-row.ts";
import { attributeIn, XmlScanner, type XmlToken } from "./xml-scanner.ts";
import { type RandomAccess, ZipFile } from "./zip.ts";

export interface Sheet {
  readonly name: string;
  readonly path: string;
}

export interface Workbook {
  readonly zip: ZipFile;
  readonly sheets: readonly Sheet[];
  readonly texts: readonly string[];
  /** Whether each cell style shows a number as a date or a time. */
  readonly dateStyles: readonly DateStyle[];
  /** True if days are counted from 1904, as on old Macintoshes. */
  readonly startsIn1904: boolean;
}

export type DateStyle = "date" | "time" | undefined;

const PART_BYTES_MAX = 16 * 1024 * 1024;
const TEXTS_BYTES_MAX = 512 * 1024 * 1024;
/** The shared texts stay in memory while the sheet is read. */
const TEXTS_CHARACTERS_MAX = 64 * 1024 * 1024;
/** An empty text also takes memory. */
const TEXT_COST = 8;
const SHEETS_MAX = 200;
const SHEET_NAME_MAX = 200;
const FORMAT_CODE_MAX = 255;

export async function openWorkbook(file: RandomAccess): Promise<Workbook> {
  const zip = await ZipFile.open(file);
  const targets = new Map<string, string>();
  for await (const token of scanPart(zip, "xl/_rels/workbook.xml.rels", PART_BYTES_MAX)) {
    if (token.type !== "open" || token.name !== "Relationship") continue;
    const [id, target] = [
      attributeIn(token.attributes, "Id"),
      attributeIn(token.attributes, "Target"),
    ];
    if (id !== undefined && target !== undefined) targets.set(id, toPath(target));
  }
  const sheets: Sheet[] = [];
  let startsIn1904 = false;
  for await (const token of scanPart(zip, "xl/workbook.xml", PART_BYTES_MAX)) {
    if (token.type !== "open") continue;
    if (token.name === "workbookPr")
      startsIn1904 = /^(1|true)$/.test(attributeIn(token.attributes, "date1904") ?? "");
    if (token.name !== "sheet" || sheets.length >= SHEETS_MAX) continue;
    const path = targets.get(attributeIn(token.attributes, "id") ?? "");
    if (path?.includes("worksheets/")) sheets.push({ name: sheetNameOf(token.attributes), path });
  }
  if (sheets.length === 0) throw new SourceError("The spreadsheet has no sheets.");
  return {
    zip,
    sheets,
    startsIn1904,
    texts: await readTexts(zip),
    dateStyles: await readDateStyles(zip),
  };
}

function sheetNameOf(attributes: string): string {
  return (attributeIn(attributes, "name") ?? "").slice(0, SHEET_NAME_MAX).toWellFormed();
}

function toPath(target: string): string {
  return target.startsWith("/") ? target.slice(1) : `xl/${target}`;
}

/** The tokens of a part. */
export async function* scanPart(
  zip: ZipFile,
  name: string,
  bytesMax: number,
): AsyncGenerator<XmlToken> {
  const decoder = new TextDecoder();
  const scanner = new XmlScanner();
  for await (const chunk of zip.read(name, bytesMax)) {
    // NUL is invalid in XML and rejected by PostgreSQL.
    yield* scanner.push(decoder.decode(chunk, { stream: true }).replaceAll("\0", ""));
  }
}

/** The shared texts by index, without phonetic hints. */
async function readTexts(zip: ZipFile): Promise<readonly string[]> {
  const texts: string[] = [];
  if (!zip.has("xl/sharedStrings.xml")) return texts;
  let text = "";
  let [inText, inPhonetic] = [false, false];
  let characters = 0;
  for await (const token of scanPart(zip, "xl/sharedStrings.xml", TEXTS_BYTES_MAX)) {
    if (token.type === "text") {
      if (inText && !inPhonetic) text += token.text;
      if (text.length > ROW_CHARACTERS_MAX)
        throw new SourceError("The spreadsheet contains a text that is too long.");
      continue;
    }
    const isOpen = token.type === "open" && !token.isEmpty;
    if (token.name === "t") inText = isOpen;
    else if (token.name === "rPh") inPhonetic = isOpen;
    else if (token.name === "si" && !isOpen) {
      characters += text.length + TEXT_COST;
      if (characters > TEXTS_CHARACTERS_MAX)
        throw new SourceError("The spreadsheet contains too many different texts.");
      texts.push(detachText(text));
      text = "";
    }
  }
  return texts;
}

/** Built-in number formats, which files do not declare. */
const BUILT_IN: ReadonlyMap<number, DateStyle> = new Map([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map(
    (id) => [id, "date"] as const,
  ),
  [22, "time"],
]);

async function readDateStyles(zip: ZipFile): Promise<readonly DateStyle[]> {
  const styles: DateStyle[] = [];
  if (!zip.has("xl/styles.xml")) return styles;
  const formats = new Map<number, DateStyle>(BUILT_IN);
  let inCells = false;
  for await (const token of scanPart(zip, "xl/styles.xml", PART_BYTES_MAX)) {
    if (token.type === "text") continue;
    if (token.name === "cellXfs") inCells = token.type === "open" && !token.isEmpty;
    if (token.type !== "open") continue;
    if (token.name === "numFmt") {
      const code = attributeIn(token.attributes, "formatCode") ?? "";
      formats.set(Number(attributeIn(token.attributes, "numFmtId")), dateStyleOf(code));
    } else if (token.name === "xf" && inCells) {
      styles.push(formats.get(Number(attributeIn(token.attributes, "numFmtId"))));
    }
  }
  return styles;
}

/** A date if the format contains a day or a year, and a time if it also contains hours. */
function dateStyleOf(code: string): DateStyle {
  const plain = code
    .slice(0, FORMAT_CODE_MAX)
    .replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, "")
    .toLowerCase();
  if (!/[dy]/.test(plain)) return undefined;
  return plain.includes("h") ? "time" : "date";
}
