/**
 * A workbook with one sheet. Texts are stored as text cells, whatever they start with, so the file never contains a
 * formula.
 */
import { failure, Failure } from "#kernel/operation/failure.ts";
import {
  type FileChunk,
  type FileColumn,
  type FileFormat,
  type FileRow,
  type FormatState,
  INITIAL_STATE,
} from "./file-format.ts";
import { compressText, ARCHIVE_BYTES_MAX, beginArchive, endArchive, type ZipEntry } from "./zip.ts";

/** The maximum number of rows in a sheet, without the header row. */
const ROWS_MAX = 1_048_576 - 1;
/** The maximum length of a cell. */
const CELL_CHARACTERS_MAX = 32_767;
const SHEET = "xl/worksheets/sheet1.xml";
const STYLES = "xl/styles.xml";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const ENTRIES: readonly ZipEntry[] = [
  [
    "[Content_Types].xml",
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ` +
      `ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
      `<Override PartName="/${SHEET}" ContentType="${TYPE}.worksheet+xml"/>` +
      `<Override PartName="/${STYLES}" ContentType="${TYPE}.styles+xml"/></Types>`,
  ],
  [
    "_rels/.rels",
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" ` +
      `Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    "xl/workbook.xml",
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
      `<sheet name="Export" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    "xl/_rels/workbook.xml.rels",
    `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" ` +
      `Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" ` +
      `Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    STYLES,
    `<styleSheet xmlns="${MAIN}"><numFmts count="2">` +
      `<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>` +
      `<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>` +
      `<fonts count="1"><font/></fonts>` +
      `<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
      `<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
      `<cellXfs count="3"><xf/><xf numFmtId="164" applyNumberFormat="1"/>` +
      `<xf numFmtId="165" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  ],
].map(([name = "", content]) => ({ name, content: Buffer.from(`${HEAD}${content}`) }));

const SheetTooLarge = failure(
  "sheet_too_large",
  422,
  "The data is too large for a spreadsheet. Export it as CSV.",
);

export const xlsxFormat: FileFormat = {
  mediaType: `${TYPE}.sheet`,
  rowsMax: ROWS_MAX,
  async begin(columns) {
    const open = `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`;
    const names = rowXml(
      1,
      columns.map(({ name, title }) => textCell(title ?? name)),
    );
    const { packed, state } = await compressText(INITIAL_STATE, open + names);
    return { bytes: Buffer.concat([beginArchive(ENTRIES, SHEET), packed]), state };
  },
  async add(state, columns, rows) {
    const total = state.rows + rows.length;
    if (total > ROWS_MAX) throw new Failure(SheetTooLarge);
    const lines = rows.map((row, index) => lineXml(state.rows + index + 2, columns, row));
    return compressChunk({ ...state, rows: total }, lines.join(""));
  },
  async end(state) {
    const { packed, state: ended } = await compressText(state, "</sheetData></worksheet>", {
      last: true,
    });
    return { bytes: Buffer.concat([packed, endArchive(ENTRIES, SHEET, ended)]), state: ended };
  },
};

async function compressChunk(before: FormatState, text: string): Promise<FileChunk> {
  const { packed, state } = await compressText(before, text);
  if (state.plainBytes > ARCHIVE_BYTES_MAX) throw new Failure(SheetTooLarge);
  return { bytes: packed, state };
}

type Cell = (reference: string) => string;

function lineXml(number: number, columns: readonly FileColumn[], row: FileRow): string {
  return rowXml(
    number,
    columns.map((column) => toCell(column, row[column.name])),
  );
}

function rowXml(number: number, cells: readonly (Cell | undefined)[]): string {
  const written = cells.map((cell, index) => cell?.(`${lettersOf(index)}${number}`) ?? "");
  return `<row r="${number}">${written.join("")}</row>`;
}

function toCell({ kind }: FileColumn, value: unknown): Cell | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number" && Number.isFinite(value)) {
    return (reference) => `<c r="${reference}"><v>${value}</v></c>`;
  }
  if (typeof value === "boolean") {
    return (reference) => `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`;
  }
  const style = STYLE_OF_KIND[kind];
  const day = style === undefined || typeof value !== "string" ? undefined : serialDayOf(value);
  if (day !== undefined) {
    return (reference) => `<c r="${reference}" s="${style}"><v>${day}</v></c>`;
  }
  return textCell(typeof value === "string" && kind !== "json" ? value : JSON.stringify(value));
}

/** The indexes of the formats among the styles. */
const STYLE_OF_KIND: Readonly<Record<string, number>> = { date: 1, time: 2 };

const DAY_MS = 86_400_000;
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
/** Spreadsheets treat 1900 as a leap year, so earlier dates differ. */
const FIRST_DAY = 61;
const LAST_DAY = 2_958_466;
const ISO_DAY = /^\d{4}-\d\d-\d\d(T|$)/;

/** A day or a time in UTC as a spreadsheet number; undefined if it has none. */
function serialDayOf(text: string): number | undefined {
  if (!ISO_DAY.test(text)) return undefined;
  const day = (Date.parse(text) - DAY_ZERO_MS) / DAY_MS;
  return day >= FIRST_DAY && day < LAST_DAY ? day : undefined;
}

function textCell(text: string): Cell {
  const content = escapeXml(text.slice(0, CELL_CHARACTERS_MAX));
  return (reference) =>
    `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${content}</t></is></c>`;
}

/**
 * Characters that XML cannot represent, not even escaped; the file format has its own escape (ECMA-376, 22.9.2.19).
 */
// oxlint-disable-next-line no-control-regex -- They are what it is about.
const NO_XML_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/** An underscore that a reader would treat as the start of an escape. */
const UNDERSCORE = /_(?=x[0-9a-f]{4}_)/gi;
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\r": "&#13;",
};

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(UNDERSCORE, "_x005F_")
    .replaceAll(NO_XML_CHARACTERS, (sign) => `_x${hexOf(sign)}_`)
    .replaceAll(/[&<>\r]/g, (sign) => ESCAPES[sign] ?? sign);
}

function hexOf(sign: string): string {
  return sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
}

const LETTERS = 26;

/** A, B … Z, AA, AB … */
function lettersOf(index: number): string {
  const letter = String.fromCharCode("A".charCodeAt(0) + (index % LETTERS));
  return index < LETTERS ? letter : lettersOf(Math.floor(index / LETTERS) - 1) + letter;
}
