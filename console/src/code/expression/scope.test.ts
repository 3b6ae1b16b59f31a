import fc from "fast-check";
import { expect, test } from "vitest";
import { findExpressions, spellPath } from "../jsonata-mode.ts";
import { parseValue, pickSources, resolveNames, spellValue, toNames, toScope } from "./scope.ts";

const SOURCES = [
  { path: "order", title: "This order", value: { number: 4701, lines: [{ sku: "a b" }] } },
  { path: "steps.read.output", title: "Read", value: { rows: [1, 2] } },
  { path: "trigger", title: "Trigger", value: { input: { name: "Ada" } } },
];

test("a value formatted for a field is parsed to the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const same = JSON.parse(JSON.stringify(value)) as unknown;
      expect(parseValue(spellValue(same))).toEqual(same);
    }),
  );
});

test.each([
  ["Hello", "Hello"],
  ["5", 5],
  ['"5"', "5"],
  ["{{ trigger.input }}", "{{ trigger.input }}"],
  ["{ not json", "{ not json"],
  ["true", true],
  [" ", undefined],
])("%s is parsed as %j", (text, value) => expect(parseValue(text)).toEqual(value));

test("completion follows the real values, and lists by their first item", () => {
  const scope = toScope(SOURCES);
  expect(Object.keys(scope)).toEqual(["order", "steps", "trigger"]);
  expect(resolveNames(scope, ["order", "lines"])).toEqual({ sku: "a b" });
  expect(resolveNames(scope, ["steps", "read", "output", "rows[1]"])).toBe(2);
  expect(resolveNames(scope, ["constructor"])).toBeUndefined();
});

test("only values used by an expression are sent", () => {
  expect(pickSources(SOURCES, "steps.read.output.rows").map(({ path }) => path)).toEqual([
    "steps.read.output",
  ]);
});

test("a path is formatted for its context", () => {
  expect(spellPath("expression", "1 + ", "order.number")).toBe("order.number");
  expect(spellPath("template", "No. ", "order.number")).toBe("{{ order.number }}");
  expect(spellPath("template", "No. {{ ", "order.number")).toBe("order.number");
  expect(spellPath("json-template", '{ "n": ', "order.number")).toBe('"{{ order.number }}"');
  expect(spellPath("json-template", '{ "n": "No. ', "order.number")).toBe("{{ order.number }}");
});

test("expressions are found with their positions", () => {
  expect(findExpressions("template", "a {{ b }} c {{d}}")).toEqual([
    { code: " b ", at: 4 },
    { code: "d", at: 14 },
  ]);
  expect(findExpressions("expression", " ")).toEqual([]);
});

test("without a value, completion uses the schema", () => {
  const schema = {
    properties: {
      status: { type: "integer" },
      rows: { type: "array", items: { properties: { id: {} } } },
    },
  };
  const names = toNames([{ path: "steps.`a-b`.output", title: "Call", value: undefined, schema }]);
  expect(Object.keys(resolveNames(names, ["steps", "`a-b`", "output"]) as object)).toEqual([
    "status",
    "rows",
  ]);
  expect(Object.keys(resolveNames(names, ["steps", "`a-b`", "output", "rows"]) as object)).toEqual([
    "id",
  ]);
  expect(toScope([{ path: "x", title: "x", value: undefined }])).toEqual({});
});
