import { expect, test } from "vitest";
import { linePoints } from "./chart.tsx";
import { rowsInSight } from "../behaviour/row-window.ts";
import { sortRows } from "./table.tsx";

const ROWS = [
  { n: 10, name: "b" },
  { n: 9, name: "B" },
  { n: 2, name: "a10" },
  { n: 2, name: "a9" },
];
const COLUMNS = [
  { id: "n", sortBy: (row: (typeof ROWS)[number]) => row.n },
  { id: "name", sortBy: (row: (typeof ROWS)[number]) => row.name },
];

test("numbers are sorted by value, texts alphabetically, and equal rows keep their order", () => {
  const names = (column: string, isDescending: boolean): string[] =>
    sortRows(ROWS, COLUMNS, { column, isDescending }).map(({ name }) => name);
  expect(names("n", false)).toEqual(["a10", "a9", "B", "b"]);
  expect(names("name", false)).toEqual(["a9", "a10", "b", "B"]);
  expect(names("name", true)).toEqual(["b", "B", "a10", "a9"]);
  expect(sortRows(ROWS, COLUMNS, undefined)).toBe(ROWS);
});

test("only visible rows and a few around them are rendered", () => {
  expect(rowsInSight({ scrollTop: 3_400, clientHeight: 340 }, 34, 10_000)).toEqual({
    from: 88,
    to: 122,
  });
  expect(rowsInSight({ scrollTop: 0, clientHeight: 340 }, 34, 5)).toEqual({ from: 0, to: 5 });
});

test("a line spans the minimum to the maximum, and is flat if all values are equal", () => {
  expect(linePoints([0, 5, 10], 100, 20)).toEqual([
    [0, 20],
    [50, 10],
    [100, 0],
  ]);
  expect(linePoints([3, 3], 100, 20)).toEqual([
    [0, 10],
    [100, 10],
  ]);
});
