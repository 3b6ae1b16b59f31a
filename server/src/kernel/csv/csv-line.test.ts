import { expect, test } from "vitest";
import { formatCsvLine, escapeFormula, unescapeFormula } from "./csv-line.ts";

test("quotes cells that a parser would otherwise change", () => {
  expect(formatCsvLine(["a", null, "", "b c"])).toBe('a,,"",b c\r\n');
  expect(formatCsvLine(['"', "a,b", "a\nb", "a\rb", " a", "a\t"])).toBe(
    '"""","a,b","a\nb","a\rb"," a","a\t"\r\n',
  );
});

test.each(["=1+1", "+1", "-1", "@a", "\ta", "\ra", "\n=1", "＝1", "'=1", "''@a"])(
  "escapes %j and restores it when parsing",
  (cell) => {
    expect(escapeFormula(cell)).toBe(`'${cell}`);
    expect(unescapeFormula(`'${cell}`)).toBe(cell);
  },
);

test.each(["", "1+1", "a=b", " =1", "'a", "''"])("keeps %j unchanged", (cell) => {
  expect(escapeFormula(cell)).toBe(cell);
  expect(unescapeFormula(cell)).toBe(cell);
});
