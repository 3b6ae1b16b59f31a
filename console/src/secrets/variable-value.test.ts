import { expect, test } from "vitest";
import { parseText, toText } from "./variable-value.ts";

test("a value formatted for a field is parsed to the same value", () => {
  const values = [
    "https://shop.example.com",
    "",
    "42",
    "null",
    '"quoted"',
    '{"not": json',
    " 7 ",
    42,
    null,
    true,
    [],
    { a: [1, "2", { b: null }] },
  ];
  for (const value of values) expect(parseText(toText(value))).toEqual(value);
  expect(toText("plain words")).toBe("plain words");
});
