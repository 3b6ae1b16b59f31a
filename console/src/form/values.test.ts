import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readPointer, writePointer } from "./pointer.ts";
import { isDuration, unitOf } from "./duration.ts";
import { kindOf, labelOf, type Schema, settleSchema } from "./schema.ts";
import { findMissing, initialValue, toSendable } from "./values.ts";

const LAPTOP: Schema = {
  type: "object",
  required: ["kind"],
  properties: {
    kind: { enum: ["new", "repair"] },
    serial: { type: "string", minLength: 1 },
    model: { type: "string", minLength: 1 },
    site: { type: "string" },
    desk: { type: "string" },
    people: {
      type: "array",
      items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    },
  },
  dependentRequired: { site: ["desk"] },
  allOf: [
    {
      if: { properties: { kind: { const: "repair" } }, required: ["kind"] },
      // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
      then: { required: ["serial"], properties: { model: false } },
      else: { properties: { serial: false } },
    },
  ],
  additionalProperties: false,
};

const fields = fc.record(
  {
    kind: fc.constantFrom("new", "repair"),
    serial: fc.string(),
    model: fc.string(),
    site: fc.string(),
    desk: fc.string(),
    people: fc.array(fc.record({ name: fc.string() }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);

test("a complete value is valid after hidden and empty fields are dropped", () => {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(LAPTOP);
  fc.assert(
    fc.property(fields, (value) => {
      fc.pre(findMissing(LAPTOP, value).length === 0);
      validate(toSendable(LAPTOP, value));
      expect(validate.errors).toBeNull();
    }),
  );
});

test("visible fields with values are never dropped", () => {
  fc.assert(
    fc.property(fields, (value) => {
      const sent = toSendable(LAPTOP, value) as Record<string, unknown>;
      const { properties } = settleSchema(LAPTOP, value, LAPTOP);
      for (const [name, text] of Object.entries(value)) {
        if (typeof text !== "string" || text === "") continue;
        expect(sent[name]).toBe(properties?.[name] === false ? undefined : text);
      }
    }),
  );
});

test("a value written at a pointer is read from there, and nothing else changes", () => {
  const name = fc.constantFrom("a", "b", "a/b", "m~n", "");
  const path = fc.array(name, { minLength: 1, maxLength: 3 });
  const value = fc.dictionary(name, fc.dictionary(name, fc.jsonValue()));
  fc.assert(
    fc.property(value, path, fc.jsonValue(), (before, names, next) => {
      const pointer = names
        .map((one) => `/${one.replaceAll("~", "~0").replaceAll("/", "~1")}`)
        .join("");
      fc.pre(!names.slice(1).some((_, n) => Array.isArray(readParent(before, names, n + 1))));
      const after = writePointer(before, pointer, next) as Record<string, unknown>;
      expect(readPointer(after, pointer)).toEqual(next);
      for (const other of Object.keys(before)) {
        if (other !== names[0]) expect(after[other]).toBe(before[other]);
      }
    }),
  );
});

const readParent = (value: unknown, names: readonly string[], depth: number): unknown =>
  names
    .slice(0, depth)
    .reduce<unknown>((at, one) => (at as Record<string, unknown> | undefined)?.[one], value);

test("conditions can show, hide and require fields", () => {
  expect(findMissing(LAPTOP, { kind: "repair" })).toEqual([
    { path: "/serial", message: "is required" },
  ]);
  expect(findMissing(LAPTOP, { kind: "new", site: "Lisbon", people: [{}] })).toEqual([
    { path: "/desk", message: "is required" },
    { path: "/people/0/name", message: "is required" },
  ]);
  expect(toSendable(LAPTOP, { kind: "new", serial: "left over", desk: "" })).toEqual({
    kind: "new",
  });
});

test("a text schema with a template variant is reduced to the text schema, marked as template", () => {
  const template = { type: "string", title: "Template", pattern: "\\{\\{" };
  const schema: Schema = { anyOf: [{ enum: ["GET", "POST"], default: "GET" }, template] };
  const settled = settleSchema(schema, undefined, schema);
  expect(settled).toMatchObject({ "x-template": true, default: "GET" });
  expect(kindOf(settled)).toBe("choice");
});

test.each<[Schema, string]>([
  [{ type: "string", maxLength: 10_000 }, "text"],
  [{ type: "string", "x-multiline": true }, "area"],
  [{ type: "array", items: { enum: ["a"] } }, "many"],
  [{ type: "array", items: {} }, "json"],
  [{ type: "object", patternProperties: { "^.*$": {} } }, "map"],
  [{ oneOf: [{ const: 1 }, { const: 2 }] }, "choice"],
  [{ anyOf: [{ type: "object" }, { type: "array" }] }, "variant"],
  [{}, "json"],
])("%j is rendered as %s", (schema, kind) => expect(kindOf(schema)).toBe(kind));

test("fills a new form with the default values", () => {
  const schema: Schema = {
    type: "object",
    $defs: { money: { type: "number", default: 5 } },
    properties: { price: { $ref: "#/$defs/money" }, name: { type: "string" } },
  };
  expect(initialValue(schema)).toEqual({ price: 5 });
  expect(["maxAttempts", "GET", "due_at", "quietMs"].map(labelOf)).toEqual([
    "Max attempts",
    "GET",
    "Due at",
    "Quiet",
  ]);
});

test("a duration is shown in the largest unit that divides it", () => {
  expect([undefined, 0, 250, 1_500, 90_000, 7_200_000, 172_800_000].map(unitOf)).toEqual([
    1_000, 1_000, 1, 1, 1_000, 3_600_000, 86_400_000,
  ]);
  expect(isDuration("/debounce/quietMs", { type: "integer" })).toBe(true);
  expect(isDuration("/timeoutMs", { type: "integer", "x-unit": "ms" })).toBe(false);
  expect(isDuration("/items", { type: "integer" })).toBe(false);
});

test("hides fields that depend on a hidden field, regardless of earlier input", () => {
  const shownIf = (field: string, value: string, name: string): Schema => ({
    if: { properties: { [field]: { const: value } }, required: [field] },
    // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
    then: { required: [name] },
    else: { properties: { [name]: false } },
  });
  const schema: Schema = {
    type: "object",
    properties: {
      reason: { type: "string", enum: ["Permanent", "Temporary"] },
      until: { type: "string", enum: ["Month", "Year"] },
      note: { type: "string" },
    },
    allOf: [shownIf("reason", "Temporary", "until"), shownIf("until", "Year", "note")],
  };
  const value = { reason: "Permanent", until: "Year", note: "typed before" };
  expect(findMissing(schema, value)).toEqual([]);
  expect(toSendable(schema, value)).toEqual({ reason: "Permanent" });
  expect(findMissing(schema, { reason: "Temporary", until: "Year" })).toEqual([
    { path: "/note", message: "is required" },
  ]);
});
