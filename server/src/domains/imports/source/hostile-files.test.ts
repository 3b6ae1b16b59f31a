import { expect, test } from "vitest";
import { RowAnalysis, type SourceAnalysis } from "../guess/analyze-rows.ts";
import { ColumnStatistics, DistinctMemory } from "../guess/column-guess.ts";
import { fileOf } from "../testing/memory-file.ts";
import { makeWorkbook } from "../testing/spreadsheet.ts";
import { openSource } from "./open-source.ts";
import { ROW_CHARACTERS_MAX, type SourceRow } from "./source-row.ts";

interface ReadFile extends SourceAnalysis {
  readonly rows: readonly (readonly [line: number, cells: SourceRow["cells"]])[];
}

/** The parsed file, or the error message. */
async function readFile(content: Buffer | string): Promise<ReadFile | string> {
  try {
    const pass = new RowAnalysis(await openSource(fileOf(Buffer.from(content)), {}), {});
    const text = Buffer.concat(await Array.fromAsync(pass.lines())).toString();
    const rows = text.trimEnd().split("\n");
    return { ...pass.result(), rows: rows.map((row) => JSON.parse(row)) };
  } catch (error) {
    return (error as Error).message;
  }
}

const MAX = ROW_CHARACTERS_MAX;

test("parses text in linear time and limits the size of cells", async () => {
  const spaced = `a,b\n${" ".repeat(500_000)}x${'"'.repeat(500_000)},1\n`;
  expect(await readFile(spaced)).toMatchObject({ lines: 1 });
  expect(await readFile(`a,b\n${'"'.repeat(3 * MAX)}`)).toContain(`more than ${MAX} characters`);
  expect(await readFile('a,b\n  "x, y" ,a"b"\n')).toMatchObject({ rows: [[2, ["x, y", 'a"b"']]] });
});

test("parses spreadsheets in linear time and limits their texts", async () => {
  const format = `<numFmts><numFmt numFmtId="200" formatCode="${"[".repeat(1_000_000)}"/></numFmts>`;
  const row = '<row r="1"><c r="A1"><v>1</v></c></row>';
  expect(await readFile(makeWorkbook({ rows: row, formats: format }))).toMatchObject({ lines: 1 });
  const long = `<si><t>${"x".repeat(100_000)}</t></si>`;
  const shared = Array.from({ length: 20 }, () => '<c t="s"><v>0</v></c>').join("");
  const part = `<t>${"x".repeat(100_000)}</t>`.repeat(20);
  for (const parts of [
    { rows: `<row>${shared}</row>`, texts: long },
    { rows: `<row><c t="inlineStr"><is>${part}</is></c></row>` },
    { rows: row, texts: `<si>${part}</si>` },
  ]) {
    expect(await readFile(makeWorkbook(parts))).toMatch(/characters|too long/);
  }
});

test("a declared size does not increase the limit of a spreadsheet part", async () => {
  const file = makeWorkbook({ rows: `<!--${" ".repeat(100_000)}-->`.repeat(400) });
  const name = file.lastIndexOf("xl/worksheets/sheet1.xml");
  // The compressed size in the directory.
  file.writeUInt32LE(0xffff_ffff, name - 26);
  expect(await readFile(file)).toContain("uncompressed spreadsheet is too large");
});

test("row numbers are unique for any declared numbers", async () => {
  const cell = "<c><v>1</v></c>";
  const rows = ["2", "2", "1e99", "x", "-4", "0x10", "9"].map((r) => `<row r="${r}">${cell}</row>`);
  const read = (await readFile(makeWorkbook({ rows: rows.join("") }))) as ReadFile;
  const lines = read.rows.map(([line]) => line);
  expect(lines).toEqual(lines.toSorted((a, b) => a - b));
  expect(new Set(lines).size).toBe(7);
  expect(Math.max(...lines)).toBeLessThan(1_000);
});

test("names are short and storable", async () => {
  const [nul, half] = ["\\u0000", "\\ud800"];
  const item = `{"a${nul}b": 1, "c${half}": 2, "${"x".repeat(100_000)}": 3}`;
  const items = `[${item}, ${item}]`;
  const sheet = `name="&#xD800;\0${"😀".repeat(500)}"`;
  const rows =
    '<row><c t="inlineStr"><is><t>a&#xDC00;\0b</t></is></c></row><row><c><v>1</v></c></row>';
  for (const content of [items, "sep=\0\na\0b\0c\n1,2\n", makeWorkbook({ rows, sheet })]) {
    const read = await readFile(content);
    expect(read).not.toBeTypeOf("string");
    const { format, columns } = read as ReadFile;
    const text = JSON.stringify({ format, columns });
    expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/i);
    expect(text.length).toBeLessThan(5_000);
    expect(columns.length).toBeLessThanOrEqual(3);
  }
});

test("counts values within the memory limit, and always a short list of choices", () => {
  const memory = new DistinctMemory(500);
  const [numbers, more, choices] = Array.from(
    { length: 3 },
    () => new ColumnStatistics("", memory),
  );
  for (let n = 0; n < 400; n += 1) {
    for (const column of [numbers, more]) column?.add(`value ${n}`, n + 1);
    choices?.add(n % 2 === 0 ? "open" : "closed", n + 1);
  }
  const of = (column: ColumnStatistics | undefined) =>
    column?.guess({ prefersComma: false, field: "f" });
  expect([of(numbers)?.unique, of(more)?.unique].filter(Boolean).length).toBeLessThan(2);
  expect(of(choices)).toMatchObject({ type: "enum", options: { values: ["closed", "open"] } });
});
