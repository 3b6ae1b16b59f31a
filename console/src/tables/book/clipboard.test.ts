import { expect, test } from "vitest";
import { parseTsv, tileCells, toHtml, toTsv } from "./clipboard.ts";

test("what is copied is pasted as it was, with tabs, lines and quotes in it", () => {
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

test("one cell fills a selection; what does not fit is pasted as it is", () => {
  expect(tileCells([["x"]], 2, 2)).toEqual([
    ["x", "x"],
    ["x", "x"],
  ]);
  expect(tileCells([["a"], ["b"]], 3, 1)).toEqual([["a"], ["b"]]);
});

test("a table of HTML says what its cells hold, and no more", () => {
  expect(toHtml([["<b>", "a & b"]])).toBe(
    "<table><tr><td>&lt;b&gt;</td><td>a &amp; b</td></tr></table>",
  );
});
