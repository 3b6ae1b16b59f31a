import { expect, test } from "vitest";
import { parse } from "yaml";
import { renderYaml } from "./yaml.ts";

test.each([
  [null],
  ["a: b"],
  [[]],
  [{}],
  [{ a: {}, b: [], c: [[], {}, [1, [2]], { d: [{ e: "f", g: null }] }] }],
  [
    {
      yes: "no",
      NULL: "~",
      "1": "1",
      "": "",
      "- a": "#b",
      "a b": "c  d",
      "é:": "\u2028\t\n\u0000",
    },
  ],
  [
    {
      "200": "1e3",
      time: "2026-01-01",
      plain: "words and/or_numbers 1.5",
      off: [true, -1.5, "true"],
    },
  ],
])("renders %j as equivalent YAML", (value) => {
  expect(parse(renderYaml(value))).toEqual(value);
});
