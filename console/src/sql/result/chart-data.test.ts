import { expect, test } from "vitest";
import { guessChart, keepChart, toChartData } from "./chart-data.ts";
import { toCsv, toTabs } from "./result-text.ts";

const answer = (columns: readonly (readonly [string, string])[], rows: unknown[][]) => ({
  columns: columns.map(([name, type]) => ({ name, type })),
  rows,
  rowCount: rows.length,
  truncated: false,
  durationMs: 1,
});
const byDay = answer(
  [
    ["day", "timestamptz"],
    ["n", "bigint"],
    ["status", "text"],
  ],
  [
    ["2026-01-01T00:00:00.000Z", 3, "new"],
    ["2026-01-01T00:00:00.000Z", null, "paid"],
  ],
);

test("times are drawn as lines, texts as bars, a single row as numbers, and results without numbers not at all", () => {
  expect(guessChart(byDay)).toEqual({ kind: "line", over: "day", of: ["n"] });
  expect(
    guessChart(
      answer(
        [
          ["s", "text"],
          ["n", "numeric"],
        ],
        [
          ["a", 1],
          ["b", 2],
        ],
      ),
    )?.kind,
  ).toBe("bar");
  expect(guessChart(answer([["n", "numeric"]], [[1]]))).toMatchObject({
    kind: "number",
    of: ["n"],
  });
  expect(guessChart(answer([["s", "text"]], [["a"]]))).toBeUndefined();
});

test("points are unique, missing values are zero, and removed columns are replaced", () => {
  const choice = { kind: "line", over: "day", of: ["n"] } as const;
  expect(toChartData(byDay, choice)).toEqual({
    places: ["2026-01-01", "2026-01-01 (2)"],
    series: [{ name: "n", values: [3, 0] }],
    isCut: false,
  });
  expect(keepChart(byDay, { kind: "bar", over: "gone", of: ["n"] })).toMatchObject({ over: "day" });
});

test("an exported file keeps cell values, and spreadsheets do not run them as formulas", () => {
  const one = answer(
    [
      ["a,b", "text"],
      ["doc", "jsonb"],
    ],
    [
      ['say "hi"\nyou', { x: 1 }],
      ["=1+1", null],
    ],
  );
  expect(toCsv(one)).toBe('"a,b",doc\r\n"say ""hi""\nyou","{""x"":1}"\r\n\'=1+1,\r\n');
  expect(toTabs(one)).toBe('a,b\tdoc\nsay "hi" you\t{"x":1}\n=1+1\t');
});
