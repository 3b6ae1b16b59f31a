import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeFormula, formatCsvLine } from "./csv-line.ts";
import { parseCsv } from "./parse-csv.ts";

test("reports the first line of each row for all line endings", async () => {
  const text = '\ufeff a ,b\r\n1,"two\nlines"\n\n,""\r3\n';
  expect(await parseCsv(text)).toEqual({
    header: ["a", "b"],
    rows: [
      { line: 2, cells: ["1", "two\nlines"] },
      { line: 5, cells: [null, ""] },
      { line: 6, cells: ["3"] },
    ],
  });
});

test.each(["\r\n", "\n", "\r"])("reports it also after cells with line breaks %j", async (end) => {
  const text = ["k,i", '"a', "b", 'c",1', "", "", "x,2", '"",3'].join(end);
  const { rows } = await parseCsv(text);
  expect(rows.map(({ line }) => line)).toEqual([2, 7, 8]);
});

test("parses a formatted file back", async () => {
  const unit = fc.constantFrom('"', ",", "\r", "\n", " ", "'", "=", "é", "😀", "a");
  const cell = fc.option(fc.string({ unit }));
  // A row of empty cells may be formatted as an empty line.
  const row = fc.tuple(cell, cell).map((cells) => ["x", ...cells]);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
      const escape = (cell: string | null) => (cell === null ? null : escapeFormula(cell));
      for (const formulas of ["raw", "escaped"] as const) {
        const cells = rows.map((one) => (formulas === "raw" ? one : one.map(escape)));
        const text = [["a", "b", "c"], ...cells].map(formatCsvLine).join("");
        const { rows: read } = await parseCsv(text, { formulas });
        expect(read.map((one) => one.cells)).toEqual(rows);
      }
    }),
  );
});

test("limits the size of a file", async () => {
  expect(await parseCsv("number\nA-1\nA-2\n", { rowsMax: 2 })).toEqual({
    header: ["number"],
    rows: [
      { line: 2, cells: ["A-1"] },
      { line: 3, cells: ["A-2"] },
    ],
  });
  await expect(parseCsv("number\n\nA-1\nA-2\nA-3\n", { rowsMax: 2 })).rejects.toMatchObject({
    particulars: { errors: [{ path: "line 5" }] },
  });
});

test.each([
  ["", "line 1"],
  ['a\n"b', "line 2"],
  ['a\nb"c"\n', "line 2"],
  ['a\r\n"x\r\ny"\r\nb"c"\r\n', "line 4"],
])("rejects %j with the line", async (text, path) => {
  await expect(parseCsv(text)).rejects.toMatchObject({ particulars: { errors: [{ path }] } });
});
