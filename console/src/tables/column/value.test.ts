import { expect, test } from "vitest";
import { readDuration, toClock } from "./duration.ts";
import { type GridColumn, titleOfColumn } from "./column.ts";
import { parseText, readDay, readNumber, toPlain, toText } from "./value.ts";

const column = (type: string, options = {}): GridColumn => ({
  name: "c",
  title: "C",
  type,
  options,
  isRequired: false,
  isUnique: false,
  description: "",
  readOnly: undefined,
  isSystem: false,
});
const nobody = (): undefined => undefined;

test("numbers in formats of several countries are parsed", () => {
  expect(["1,234.50", "1.234,50", "1 234,5", "12,5", "1,234", "€ 7", "x"].map(readNumber)).toEqual([
    1234.5,
    1234.5,
    1234.5,
    12.5,
    1234,
    7,
    undefined,
  ]);
});

test("dates in formats of several countries are parsed, and invalid dates are rejected", () => {
  expect(
    ["2026-11-05", "5.11.2026", "11/25/2026", "5 Nov 2026", "31.2.2026", "Bolt 7"].map((text) =>
      readDay(text),
    ),
  ).toEqual(["2026-11-05", "2026-11-05", "2026-11-25", "2026-11-05", undefined, undefined]);
});

test("copied text is parsed to the same value", () => {
  const cases: readonly [GridColumn, unknown][] = [
    [column("decimal"), 12.5],
    [column("boolean"), false],
    [column("date"), "2026-02-28"],
    [column("timestamp"), "2026-02-28T09:30:00.000Z"],
    [column("multi_enum", { values: ["a", "b"] }), ["b", "a"]],
    [column("json"), { a: [1] }],
    [column("text"), "two\nlines"],
  ];
  for (const [kind, value] of cases) {
    expect(parseText(kind, toPlain(kind, value, nobody))).toEqual({ value });
  }
});

test("choices match case-insensitively, and an error lists the valid ones", () => {
  const status = column("enum", { values: ["Open", "Closed"] });
  expect(parseText(status, "open")).toEqual({ value: "Open" });
  expect(parseText(status, "lost")).toEqual({
    error: "“lost” is not an option. Options: Open, Closed.",
  });
  expect(parseText({ ...status, isRequired: true }, "")).toHaveProperty("error");
});

test("a value of an unknown type is displayed as text", () => {
  expect(toText(column("rollup"), 3, nobody)).toBe("3");
  expect(toText(column("files"), [{ id: "fil_1", name: "plan.pdf" }], nobody)).toBe("plan.pdf");
  expect(toText(column("lookup"), { x: 1 }, nobody)).toBe('{"x":1}');
});

test("uses the title as column label, and starts a path with the reference title", () => {
  const columns = [{ name: "sku", title: "SKU" }];
  expect(
    ["sku", "sku.city", "createdAt", "gone"].map((name) => titleOfColumn(columns, name)),
  ).toEqual(["SKU", "SKU · city", "Created at", "gone"]);
});

test("durations are parsed and formatted to the same text", () => {
  expect(["1:30", "1:30:05", "1h 30m", "PT1H30M", "90", "2d", "soon"].map(readDuration)).toEqual([
    5_400,
    5_405,
    5_400,
    5_400,
    90,
    172_800,
    undefined,
  ]);
  expect([5_405, 0.5, 90_000].map(toClock)).toEqual(["1:30:05", "0:00:00.5", "25:00:00"]);
  for (const seconds of [0, 59, 3_600, 86_399.25]) {
    expect(readDuration(toClock(seconds))).toBe(seconds);
  }
});
