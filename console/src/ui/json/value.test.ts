import { expect, test } from "vitest";
import { joinPath, listRows, searchRows, summarizeValue } from "./value.ts";

const ORDER = { id: 7, lines: [{ sku: "a-1" }, { sku: "b-2" }], "odd name": null };

test("a tree shows expanded nodes with their expression paths", () => {
  const paths = (open: readonly string[]): string[] =>
    listRows(ORDER, "order", new Set(open)).map(({ path }) => path);
  expect(paths([])).toEqual(["order.id", "order.lines", "order.`odd name`"]);
  expect(paths(["order.lines", "order.lines[1]"])).toEqual([
    "order.id",
    "order.lines",
    "order.lines[0]",
    "order.lines[1]",
    "order.lines[1].sku",
    "order.`odd name`",
  ]);
});

test("a search finds names and values at any depth", () => {
  expect(searchRows(ORDER, "order", "B-2").map(({ path }) => path)).toEqual(["order.lines[1].sku"]);
  expect(searchRows(ORDER, "order", "sku")).toHaveLength(2);
});

test("a large list adds rows only when it is expanded", () => {
  const value = { rows: Array.from({ length: 100_000 }, (_, n) => n) };
  expect(listRows(value, "x", new Set())).toHaveLength(1);
  expect(listRows(value, "x", new Set(["x.rows"]))).toHaveLength(50_000);
});

test("names and values are abbreviated", () => {
  expect(joinPath(joinPath("order", "lines"), 0)).toBe("order.lines[0]");
  expect(joinPath("order", "odd name")).toBe("order.`odd name`");
  expect(summarizeValue([1])).toBe("1 item");
  expect(summarizeValue({ a: 1, b: 2, c: 3, d: 4 })).toBe("{ a, b, c, … }");
  expect(summarizeValue("x".repeat(60))).toBe(`"${"x".repeat(32)}…`);
});
