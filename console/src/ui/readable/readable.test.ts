import { expect, test } from "vitest";
import { toFieldName, toReadable } from "./readable.ts";

test.each([
  ["totalAmount", "Total amount"],
  ["cost_centre", "Cost centre"],
  ["VATNumber", "VATNumber"],
  ["id", "Id"],
])("%s is displayed as %s", (name, words) => expect(toFieldName(name)).toBe(words));

test("an object is shown as names with values, and empty values are marked", () => {
  expect(toReadable({ amount: 1240.5, urgent: true, note: null })).toEqual({
    kind: "fields",
    fields: [
      { name: "Amount", value: { kind: "text", text: "1,240.5", isLong: false } },
      { name: "Urgent", value: { kind: "text", text: "Yes", isLong: false } },
      { name: "Note", value: { kind: "none" } },
    ],
  });
});

test("a list of similar objects is a table with a limited number of rows", () => {
  const rows = Array.from({ length: 30 }, (_, n) => ({ n, name: `Row ${n}` }));
  expect(toReadable(rows)).toMatchObject({ kind: "table", columns: ["N", "Name"], more: 10 });
  expect(toReadable(["a", "b"])).toMatchObject({ kind: "list", more: 0 });
});

test("deeply nested values are shown unchanged", () => {
  const value = { a: { b: { c: { d: 1 } } } };
  expect(JSON.stringify(toReadable(value))).toContain('"kind":"deep","value":{"d":1}');
});
