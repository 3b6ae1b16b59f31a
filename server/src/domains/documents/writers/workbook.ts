/** A spreadsheet with one sheet. Texts are never interpreted as formulas. */
import type { Row, Table } from "./rows.ts";
import { type ZipEntry, writeZip } from "./zip.ts";

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const ROWS_AT_ONCE = 200;
const CELL_CHARACTERS_MAX = 32_767;

export function writeWorkbook(table: Table, sheet: string): AsyncGenerator<Uint8Array> {
  const entries: ZipEntry[] = [
    {
      name: "[Content_Types].xml",
      content: [
        text(
          `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
        ),
      ],
    },
    {
      name: "_rels/.rels",
      content: [relations("officeDocument", "xl/workbook.xml")],
    },
    {
      name: "xl/workbook.xml",
      content: [
        text(
          `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="${escapeXml(sheetName(sheet))}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        ),
      ],
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      content: [relations("worksheet", "worksheets/sheet1.xml")],
    },
    { name: "xl/worksheets/sheet1.xml", content: writeSheet(table) },
  ];
  return writeZip(entries);
}

function relations(type: string, target: string): Uint8Array {
  return text(
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`,
  );
}

function* writeSheet({ columns, rows }: Table): Generator<Uint8Array> {
  yield text(`${HEAD}<worksheet xmlns="${MAIN}"><sheetData>`);
  const all = columns.length > 0 ? [columns, ...rows] : rows;
  for (let at = 0; at < all.length; at += ROWS_AT_ONCE) {
    const part = all.slice(at, at + ROWS_AT_ONCE);
    yield text(part.map((row, index) => rowXml(row, at + index + 1)).join(""));
  }
  yield text("</sheetData></worksheet>");
}

function rowXml(row: Row, number: number): string {
  const cells = row.map((cell, column) => cellXml(cell, `${columnLetters(column)}${number}`));
  return `<row r="${number}">${cells.join("")}</row>`;
}

function cellXml(cell: unknown, at: string): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "number") return `<c r="${at}"><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c r="${at}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  const content = typeof cell === "string" ? cell : JSON.stringify(cell);
  const kept = escapeXml(content.slice(0, CELL_CHARACTERS_MAX));
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${kept}</t></is></c>`;
}

function columnLetters(column: number): string {
  const rest = Math.floor(column / 26);
  const letter = String.fromCharCode(65 + (column % 26));
  return rest === 0 ? letter : columnLetters(rest - 1) + letter;
}

/** A valid sheet name: 31 characters without those used in references. */
function sheetName(name: string): string {
  return name.replaceAll(/[:\\/?*[\]]/g, " ").slice(0, 31) || "Sheet1";
}

function escapeXml(content: string): string {
  return (
    content
      .toWellFormed()
      // eslint-disable-next-line no-control-regex -- XML has no way to write these.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll('"', "&quot;")
  );
}

function text(content: string): Uint8Array {
  return Buffer.from(content);
}
