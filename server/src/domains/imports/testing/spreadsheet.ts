import { crc32, deflateRawSync } from "node:zlib";

export type SheetCell = string | number | boolean | null | { readonly days: number };

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** A spreadsheet of these parts, possibly invalid. */
export function makeWorkbook({
  rows,
  texts = "",
  formats = "",
  sheet = 'name="Orders"',
}: {
  readonly rows: string;
  readonly texts?: string;
  readonly formats?: string;
  readonly sheet?: string;
}): Buffer {
  return makeZip([
    [
      "xl/workbook.xml",
      `${HEAD}<workbook><sheets><sheet ${sheet} sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ],
    [
      "xl/_rels/workbook.xml.rels",
      `${HEAD}<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>`,
    ],
    [
      "xl/styles.xml",
      `${HEAD}<styleSheet>${formats}<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    ],
    ["xl/sharedStrings.xml", `${HEAD}<sst>${texts}</sst>`],
    ["xl/worksheets/sheet1.xml", `${HEAD}<worksheet><sheetData>${rows}</sheetData></worksheet>`],
  ]);
}

/** A spreadsheet with one sheet in the usual format: shared texts, and dates as styled numbers. */
export function makeSpreadsheet(rows: readonly (readonly SheetCell[])[]): Buffer {
  const texts = new Map<string, number>();
  const sheet = rows.map((cells, row) => {
    const parts = cells.map((cell, column) =>
      cellXml(cell, `${letterOf(column)}${row + 1}`, texts),
    );
    return `<row r="${row + 1}">${parts.join("")}</row>`;
  });
  const strings = [...texts.keys()].map(
    (text) => `<si><t xml:space="preserve">${escape(text)}</t></si>`,
  );
  return makeWorkbook({ rows: sheet.join(""), texts: strings.join("") });
}

function cellXml(cell: SheetCell, at: string, texts: Map<string, number>): string {
  if (cell === null) return "";
  if (typeof cell === "number") return `<c r="${at}"><v>${cell}</v></c>`;
  if (typeof cell === "boolean") return `<c r="${at}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === "object") return `<c r="${at}" s="1"><v>${cell.days}</v></c>`;
  if (!texts.has(cell)) texts.set(cell, texts.size);
  return `<c r="${at}" t="s"><v>${texts.get(cell)}</v></c>`;
}

function letterOf(column: number): string {
  return String.fromCharCode(65 + column);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** A ZIP file of these parts. */
export function makeZip(
  parts: readonly (readonly [name: string, content: string | Buffer])[],
): Buffer {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, content] of parts) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const label = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(label.length, 22);
    const header = Buffer.concat([Buffer.from("504b0304", "hex"), common, label, packed]);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    common.copy(entry, 6);
    entry.writeUInt32LE(at, 42);
    directory.push(Buffer.concat([entry, label]));
    files.push(header);
    at += header.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, list, end]);
}
