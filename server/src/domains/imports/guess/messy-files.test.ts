import { expect, test } from "vitest";
import { parseFields } from "#domains/tables/index.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { openSource } from "../source/open-source.ts";
import type { Cell } from "../source/source-row.ts";
import { fileOf } from "../testing/memory-file.ts";
import { makeSpreadsheet, makeZip } from "../testing/spreadsheet.ts";
import { MESSY_TYPES, messyRows, toText } from "../testing/messy-file.ts";
import { guessMapping, planLines, planTable, toInput } from "../write/line-plan.ts";
import { RowAnalysis } from "./analyze-rows.ts";
import { parseDay, parseTimeOfDay } from "./date-style.ts";
import { parseNumber } from "./number-style.ts";

const rows = messyRows(tries(5_000, 20_000));
const fewer = rows.slice(0, tries(2_000, 4_000));
const partition = {
  workspace: "00000000-0000-0000-0000-000000000001",
  environment: "production",
} as const;

/** A file with its guessed types, and its rows that are invalid for them. */
async function readFile(bytes: Buffer) {
  const source = await openSource(fileOf(bytes), {});
  const pass = new RowAnalysis(source, {});
  const text = Buffer.concat(await Array.fromAsync(pass.lines())).toString();
  const analysis = pass.result();
  // Accepts every suggestion, and the first date order.
  const suggested = analysis.columns.map((column) => ({
    ...column,
    type: column.suggestion?.type ?? column.type,
    options: column.suggestion?.options ?? column.options,
    isAmbiguous: false,
  }));
  const row = {
    columns: suggested,
    mapping: guessMapping(suggested),
    new_table: null,
  };
  const schema = planTable(row, partition);
  const plan = planLines(schema, row);
  const parsed = text
    .trimEnd()
    .split("\n")
    .map((each) => JSON.parse(each) as [number, Cell[]]);
  const invalid = parsed.flatMap(([line, cells], index) => {
    const fields = parseFields(schema, toInput(plan, { line, cells }, new Map()), {
      for: "create",
      now: new Date(),
      principal: undefined,
    });
    return "errors" in fields ? [index] : [];
  });
  return { analysis: { ...analysis, columns: suggested }, invalid };
}

/** In Windows-1252 the euro sign is one byte. Node has no such encoder. */
function toWindows1252(text: string): Buffer {
  return Buffer.from(text.replaceAll("€", "\u0080"), "latin1");
}

test.each([
  {
    name: "Windows-1252 with semicolons",
    given: rows,
    encode: toWindows1252,
    encoding: "windows-1252",
    separator: ";",
  },
  {
    name: "UTF-8 with a byte order mark and commas",
    given: fewer,
    encode: (text: string) => Buffer.from(`\ufeff${text}`),
    encoding: "utf-8",
    separator: ",",
  },
  {
    name: "UTF-16 with tabs",
    given: fewer,
    encode: (text: string) => Buffer.from(`\ufeff${text}`, "utf16le"),
    encoding: "utf-16le",
    separator: "\t",
  },
])(
  "parses a messy file in $name except for its broken lines",
  async ({ given, encode, encoding, separator }) => {
    const { analysis, invalid } = await readFile(encode(toText(given, separator)));
    expect(analysis).toMatchObject({
      lines: given.length,
      format: { type: "csv", encoding, separator, header: true },
    });
    expect(Object.fromEntries(analysis.columns.map(({ header, type }) => [header, type]))).toEqual(
      MESSY_TYPES,
    );
    expect(analysis.columns.map(({ dateOrder, decimalMark }) => dateOrder ?? decimalMark)).toEqual([
      null,
      "dmy",
      "mdy",
      "comma",
      "point",
      expect.any(String),
      null,
      null,
      expect.anything(),
      null,
      null,
    ]);
    expect(invalid).toEqual(given.flatMap(({ isBroken }, index) => (isBroken ? [index] : [])));
    expect(invalid.length).toBeLessThan(given.length / 100);
  },
);

test("uses the types of spreadsheets and JSON lists", async () => {
  const sheet = makeSpreadsheet([
    ["Name", "Since", "Amount", "Active", "Note"],
    ...Array.from({ length: 500 }, (_, n) => [
      `N & <${n}>`,
      { days: 45_000 + n },
      n + 0.1,
      n % 2 === 0,
      n % 3 === 0 ? null : `note ${n}`,
    ]),
  ]);
  const fromSheet = await readFile(sheet);
  expect(fromSheet.analysis.format).toMatchObject({
    type: "xlsx",
    sheet: "Orders",
    sheets: ["Orders"],
    header: true,
  });
  expect(fromSheet.analysis.columns.map(({ type, empty }) => [type, empty])).toEqual([
    ["text", 0],
    ["date", 0],
    ["decimal", 0],
    ["boolean", 0],
    ["text", 167],
  ]);
  expect(fromSheet.analysis.columns[1]?.examples[0]).toBe("2023-03-15");
  expect(fromSheet.invalid).toEqual([]);
  const items = Array.from({ length: 300 }, (_, n) => ({
    n,
    at: `2026-01-0${(n % 9) + 1}T10:00:00+02:00`,
    tags: { a: [n] },
    ...(n > 10 && { late: "x]}" }),
  }));
  for (const text of [
    JSON.stringify(items, null, 2),
    items.map((each) => JSON.stringify(each)).join("\n"),
  ]) {
    const { analysis, invalid } = await readFile(Buffer.from(text));
    expect(analysis.columns.map(({ field, type }) => `${field} ${type}`)).toEqual([
      "n integer",
      "at timestamp",
      "tags json",
      "late text",
    ]);
    expect(invalid).toEqual([]);
  }
});

test("rejects a file that is not a table or expands too much with a clear message", async () => {
  const bomb = Buffer.alloc(64 * 1024 * 1024, `<a b="${"x".repeat(10_000)}"/>`);
  const parts = [
    ["xl/workbook.xml", '<workbook><sheets><sheet name="S" r:id="a"/></sheets></workbook>'],
    ["xl/_rels/workbook.xml.rels", '<R><Relationship Id="a" Target="worksheets/s.xml"/></R>'],
    ["xl/sharedStrings.xml", bomb],
    ["xl/worksheets/s.xml", "<worksheet/>"],
  ] as const;
  const entity = [
    ...parts.slice(0, 2),
    ["xl/worksheets/s.xml", "<!DOCTYPE x [<!ENTITY a 'b'>]><worksheet/>"] as const,
  ];
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const files: [Buffer, RegExp][] = [
    [Buffer.from(`[{"a":1},{"a":${deep}}]`), /Item 2 has more than 200 levels of nesting/],
    [Buffer.from(`{"a":${deep}}\n{"a":1}`), /Item 1 has more than 200 levels of nesting/],
    [Buffer.alloc(0), /empty/],
    [makeZip(parts), /uncompressed spreadsheet is too large/],
    [makeZip(entity), /document type/],
    [Buffer.from("PK but no zip"), /is not a spreadsheet/],
    [Buffer.from('a,b\n1,"never closed\n'), /Line 2 has an unclosed quote/],
    [Buffer.from('[{"a":1},{"a":'), /is not a JSON object/],
    [Buffer.from("only,a,header\n"), /no rows/],
  ];
  for (const [bytes, message] of files) await expect(readFile(bytes)).rejects.toThrow(message);
});

test("parses numbers and dates in country formats", () => {
  expect(
    ["1.234,56", "1 234,5", "-3", "(1.000)", "12,5 €", "1,2,3", "1.23.4"].map((text) =>
      parseNumber(text, "comma"),
    ),
  ).toEqual(["1234.56", "1234.5", "-3", "-1000", "12.5", undefined, undefined]);
  expect(
    ["1,234.56", "$5", "1'000.5", "12,34,567", "1e3", "5-", "abc", "1,23"].map((text) =>
      parseNumber(text, "point"),
    ),
  ).toEqual(["1234.56", "5", "1000.5", "1234567", "1e3", "-5", undefined, undefined]);
  expect(
    [
      "31/12/25",
      "1.2.2026",
      "29.02.2023",
      "3 mars 2024",
      "Dec 31, 2025",
      "2026/1/5",
      "31.12.1850",
    ].map((text) => parseDay(text, "dmy")),
  ).toEqual([
    "2025-12-31",
    "2026-02-01",
    undefined,
    "2024-03-03",
    "2025-12-31",
    "2026-01-05",
    "1850-12-31",
  ]);
  expect(parseDay("1/2/2026", "mdy")).toBe("2026-01-02");
  expect(
    ["12/31/2025 12:05 AM", "2026-01-05T10:00:00.5+0200", "1/5/2026, 25:00"].map((text) =>
      parseTimeOfDay(text, "mdy"),
    ),
  ).toEqual(["2025-12-31T00:05:00Z", "2026-01-05T10:00:00.500+02:00", undefined]);
});
