import { expect, test } from "vitest";
import { parseTsv, tileCells, toHtml, toTsv } from "./clipboard.ts";

test("copied cells are pasted unchanged, including tabs, line breaks and quotes", () => {
  const cells = [
    ["plain", 'he said "no"', "two\nlines"],
    ["", "a\ttab", '"quoted"'],
  ];
  expect(parseTsv(toTsv(cells))).toEqual(cells);
  expect(parseTsv("a\tb\r\nc\td\r\n")).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
});

test("a single cell fills the selection; other sizes are pasted unchanged", () => {
  expect(tileCells([["x"]], 2, 2)).toEqual([
    ["x", "x"],
    ["x", "x"],
  ]);
  expect(tileCells([["a"], ["b"]], 3, 1)).toEqual([["a"], ["b"]]);
});

test("an HTML table contains only the cell values, escaped", () => {
  expect(toHtml([["<b>", "a & b"]])).toBe(
    "<table><tr><td>&lt;b&gt;</td><td>a &amp; b</td></tr></table>",
  );
});
