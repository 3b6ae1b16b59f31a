import { expect, test } from "vitest";
import { checkPattern } from "./pattern.ts";
import { validateValues } from "./validate-values.ts";
import { type Form, parseForm } from "./form.ts";

const object = (properties: object, more: object = {}): Form => ({
  type: "object",
  properties,
  ...more,
});
const pathsOf = (form: unknown): string[] => {
  const read = parseForm(form as Form);
  return "errors" in read ? read.errors.map(({ path }) => path) : [];
};

test("a form with every keyword is valid", () => {
  const form = object(
    {
      name: { type: "string", minLength: 1, maxLength: 50, title: "Name", "x-widget": "line" },
      mail: { type: "string", format: "email" },
      size: { type: "integer", minimum: 1, exclusiveMaximum: 10, multipleOf: 2 },
      colours: { type: "array", items: { enum: ["red", "blue"] }, uniqueItems: true, maxItems: 2 },
      place: { $ref: "#/$defs/place" },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      required: ["name"],
      additionalProperties: false,
      $defs: { place: object({ room: { type: "string", pattern: "^[A-Z]\\d{2}$" } }) },
    },
  );
  expect(pathsOf(form)).toEqual([]);
});

test.each([
  ["another type", { type: "array" }, ["/type"]],
  ["no type", { properties: {} }, ["/type"]],
  [
    "an unknown keyword",
    object({ a: { patternProperties: {} } }),
    ["/properties/a/patternProperties"],
  ],
  [
    "an external reference",
    object({ a: { $ref: "https://example.com/x.json" } }),
    ["/properties/a/$ref"],
  ],
  ["a reference to itself", object({ a: { $ref: "#" } }), ["/properties/a/$ref"]],
  ["a reference to nothing", object({ a: { $ref: "#/$defs/x" } }), ["/properties/a/$ref"]],
  [
    "a __proto__ reference",
    object({ a: { $ref: "#/$defs/__proto__" } }, { $defs: {} }),
    ["/properties/a/$ref"],
  ],
  ["invalid properties", { type: "object", properties: 5 }, ["/properties"]],
  ["an invalid schema", object({ a: "string" }), ["/properties/a"]],
  ["an endless pattern", object({ a: { pattern: "^(a+)+$" } }), ["/properties/a/pattern"]],
  ["a broken pattern", object({ a: { pattern: "(" } }), ["/properties/a/pattern"]],
  ["an unknown format", object({ a: { format: "regex" } }), ["/properties/a/format"]],
  ["a length below 0", object({ a: { maxLength: -1 } }), ["/properties/a/maxLength"]],
  ["an empty choice", object({ a: { enum: [] } }), ["/properties/a/enum"]],
  ["dynamic references", object({ a: { $dynamicRef: "#x" } }), ["/properties/a/$dynamicRef"]],
])("a form with %s is rejected with its path", (_, form, paths) => {
  expect(pathsOf(form)).toEqual(paths);
});

test("circular and endlessly expanding references are rejected", () => {
  const circle = object(
    { a: { $ref: "#/$defs/a" } },
    { $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } } },
  );
  expect(pathsOf(circle)).toEqual(["/properties/a/$ref/allOf/0/$ref/not/$ref"]);
  const twice = (name: string) => ({
    allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }],
  });
  const $defs = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`d${n}`, n === 11 ? {} : twice(`d${n + 1}`)]),
  );
  expect(pathsOf(object({ a: { $ref: "#/$defs/d0" } }, { $defs }))).not.toEqual([]);
  let deep: object = { type: "string" };
  for (let n = 0; n < 40; n += 1) deep = { type: "array", items: deep };
  expect(pathsOf(object({ a: deep }))).not.toEqual([]);
  const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`p${n}`, true]));
  expect(pathsOf(object({ ...wide, a: {} }))).not.toEqual([]);
  expect(pathsOf(object({ a: { description: "x".repeat(70_000) } }))).toEqual([""]);
});

test.each([
  "(a|aa)+$",
  "(a*)*",
  "(?=a)b",
  "(a)\\1",
  "a*a*a*a*b",
  `${"a?".repeat(40)}b`,
  "(a{1,9}){9}",
  "a{1000000}",
  "(a|a)".repeat(30),
  "\\[(a+)+[x]",
  "\\k<n>(?<n>a)",
  "x".repeat(301),
])("the pattern %s is rejected", (pattern) =>
  expect(checkPattern(pattern)).toEqual(expect.any(String)),
);

test.each([
  "^[A-Z]{2}\\d{3,6}$",
  "^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$",
  "^(red|green|blue)?$",
  "^\\(\\d+\\)+$",
  "[(+*]+",
  "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z",
  "\\\\1",
  "^\\p{L}+$",
])("the pattern %s is accepted", (pattern) => expect(checkPattern(pattern)).toBeUndefined());

const filled = (form: Form, values: Record<string, unknown>): Promise<unknown> =>
  validateValues("any", form, values).catch((error) => error.particulars.errors);

test("defaults are filled in at every depth", async () => {
  const form = object({
    model: { type: "string", default: "light" },
    place: { ...object({ room: { default: 1 }, floor: {} }), default: {} },
    extras: { type: "array", items: object({ count: { default: 1 } }) },
  });
  expect(await filled(form, { extras: [{}, { count: 2 }] })).toEqual({
    model: "light",
    place: { room: 1 },
    extras: [{ count: 1 }, { count: 2 }],
  });
  expect(await filled(form, { model: "strong", place: { floor: 3 } })).toEqual({
    model: "strong",
    place: { floor: 3, room: 1 },
  });
});

test("errors name the path of the value", async () => {
  const form = object(
    {
      model: { type: "string", enum: ["light", "strong"] },
      count: { type: "integer", maximum: 3 },
      code: { type: "string", pattern: "^[A-Z]+$" },
    },
    { required: ["model", "constructor"], additionalProperties: false },
  );
  expect(await filled(form, { model: "huge", count: 4.5, code: "x", surplus: 1 })).toEqual(
    expect.arrayContaining([
      { path: "/values/model", message: "must be one of light, strong" },
      { path: "/values/constructor", message: "is required" },
      { path: "/values/surplus", message: "is not a known field" },
      { path: "/values/code", message: "does not have the right form" },
      { path: "/values/count", message: expect.any(String) },
    ]),
  );
});

test("values that a form forbids are refused", async () => {
  expect(await filled(object({ a: false }), { a: 1 })).toEqual([
    { path: "/values/a", message: "is not a known field" },
  ]);
  expect(await filled(object({}, { not: { required: ["a"] } }), { a: 1 })).toMatchObject([
    { path: "/values" },
  ]);
  expect(await filled(object({ a: false }), { b: 1 })).toEqual({ b: 1 });
});

test("a pattern matches texts of up to 200 characters", async () => {
  const form = object({
    a: { type: "string", pattern: "b+c" },
    z: { type: "string", pattern: "^b$" },
  });
  expect(await filled(form, { a: "aabbcd\n", z: "b" })).toEqual({ a: "aabbcd\n", z: "b" });
  expect(await filled(form, { a: "ab" })).toMatchObject([{ path: "/values/a" }]);
  expect(await filled(form, { z: "bb" })).toMatchObject([{ path: "/values/z" }]);
  expect(await filled(form, { z: "a\nb" })).toMatchObject([{ path: "/values/z" }]);
  expect(await filled(form, { a: `bc${"x".repeat(199)}` })).toMatchObject([{ path: "/values/a" }]);
});

test("a slow pattern is stopped", async () => {
  const form = object({ a: { type: "string", pattern: "a+a+a+b" } });
  expect(await filled(form, { a: "a".repeat(200) })).toEqual([
    { path: "/values", message: "takes too long to validate" },
  ]);
  expect(await filled(form, { a: "aaab" })).toEqual({ a: "aaab" });
});

test("values with too many comparisons are rejected", async () => {
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`, true]));
  const many = Array.from({ length: 5_000 }, () => 1);
  expect(await filled(object(properties), { many })).toEqual([
    { path: "/values", message: "has too many parts to be validated" },
  ]);
});

test.each([
  ["then", { kind: "other" }, ["/values/why"]],
  ["else", { kind: "plain" }, ["/values/size"]],
  [
    "within a nested object",
    { kind: "plain", size: 1, place: { room: "A" } },
    ["/values/place/floor"],
  ],
  ["next to another field", { kind: "plain", size: 1, from: "2026-01-01" }, ["/values/to"]],
])("a conditional form reports the missing field: %s", async (_, values, paths) => {
  // An object with a `then` property would be treated as a promise.
  const form = JSON.parse(`{
    "type": "object",
    "properties": {
      "kind": { "type": "string" },
      "place": { "type": "object", "if": { "required": ["room"] }, "then": { "$ref": "#/$defs/floor" } }
    },
    "$defs": { "floor": { "required": ["floor"] } },
    "if": { "properties": { "kind": { "const": "other" } } },
    "then": { "required": ["why"] },
    "else": { "required": ["size"] },
    "dependentSchemas": { "from": { "required": ["to"] } }
  }`) as Form;
  expect(pathsOf(form)).toEqual([]);
  expect(await filled(form, values)).toEqual(
    paths.map((path) => ({ path, message: expect.stringMatching(/^is required/) })),
  );
});

/** The form editor writes this condition for "if Reason is Temporary, show the field", also for a required field. */
const until = (place: object): Form =>
  object(
    { reason: { enum: ["Permanent", "Temporary"] }, until: { type: "string" }, ...place },
    {
      required: ["reason", "until"],
      allOf: [
        {
          if: { properties: { reason: { const: "Temporary" } }, required: ["reason"] },
          else: { properties: { until: false } },
        },
      ],
    },
  );

test("a required field is required only while it is visible", async () => {
  const form = until({});
  const permanent = { reason: "Permanent" };
  expect(await filled(form, permanent)).toEqual(permanent);
  expect(await filled(form, { reason: "Temporary" })).toEqual([
    { path: "/values/until", message: "is required" },
  ]);
  const temporary = { reason: "Temporary", until: "2027-01-01" };
  expect(await filled(form, temporary)).toEqual(temporary);
  // A value for a hidden field is rejected, because the sender expects it to have an effect.
  expect(await filled(form, { ...permanent, until: "2027-01-01" })).toContainEqual({
    path: "/values/until",
    message: "is not a known field",
  });
});

test("a hidden field has no default, and a default affects conditions", async () => {
  const withDefault = until({ until: { type: "string", default: "2027-01-01" } });
  expect(await filled(withDefault, { reason: "Permanent" })).toEqual({ reason: "Permanent" });
  expect(await filled(withDefault, { reason: "Temporary" })).toEqual({
    reason: "Temporary",
    until: "2027-01-01",
  });
  const byDefault = until({ reason: { enum: ["Permanent", "Temporary"], default: "Permanent" } });
  expect(await filled(byDefault, {})).toEqual({ reason: "Permanent" });
});
