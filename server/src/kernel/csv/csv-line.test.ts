import { expect, test } from "vitest";
import { formatCsvLine, escapeFormula } from "./csv-line.ts";

test("a line quotes cells that would not be parsed back", () => {
  expect(formatCsvLine(["a", null, "", "b c"])).toBe('a,,"",b c\r\n');
  expect(formatCsvLine(['"', "a,b", "a\nb", "a\rb", " a", "a\t"])).toBe(
    '"""","a,b","a\nb","a\rb"," a","a\t"\r\n',
  );
});

test.each(["=1+1", "+1", "-1", "@a", "\ta", "\ra"])("%j gets a mark in front", (cell) => {
  expect(escapeFormula(cell)).toBe(`'${cell}`);
});

test.each(["", "1+1", "a=b", " =1", "'=1"])("%j stays as it is", (cell) => {
  expect(escapeFormula(cell)).toBe(cell);
});
