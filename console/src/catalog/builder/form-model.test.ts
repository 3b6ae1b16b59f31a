import { expect, test } from "vitest";
import type { Schema } from "../../form/index.ts";
import {
  checkName,
  createField,
  freeName,
  moveField,
  readForm,
  renameField,
  writeForm,
} from "./form-model.ts";

const KNOWN: Schema = {
  type: "object",
  properties: {
    model: { title: "Model", type: "string", enum: ["light", "strong"], default: "light" },
    why: { title: "Why", description: "In a sentence", type: "string", "x-multiline": true },
    day: { type: "string", format: "date", "x-section": "Delivery" } as Schema,
    extras: { type: "array", uniqueItems: true, items: { type: "string", enum: ["bag"] } },
    quote: { type: "array", maxItems: 3, items: { type: "string", "x-file": true } },
    address: { type: "object", properties: { street: { type: "string" } } },
    size: { oneOf: [{ const: 1, title: "One" }] },
  },
  required: ["model"],
  additionalProperties: false,
  allOf: [
    {
      if: { properties: { model: { const: "strong" } }, required: ["model"] },
      else: { properties: { why: false } },
    },
    { if: { properties: { day: { const: "x" } } }, else: { required: ["why"] } },
  ],
};

test("a schema is parsed and written unchanged, including keywords that the builder does not support", () => {
  const model = readForm(KNOWN);
  expect(model.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "model choice",
    "why area",
    "§day section",
    "day date",
    "extras many",
    "quote file",
    "address json",
    "size json",
  ]);
  expect(model.fields[1]?.when).toEqual({ field: "model", is: "strong", effect: "show" });
  const again = writeForm(model);
  expect({ ...again, allOf: undefined }).toEqual({ ...KNOWN, allOf: undefined });
  // The builder keeps other conditions and appends the new ones.
  expect(new Set(again.allOf?.map((one) => JSON.stringify(one)))).toEqual(
    new Set(KNOWN.allOf?.map((one) => JSON.stringify(one))),
  );
  expect(readForm(again)).toEqual(model);
});

test("fields are created with unique names, and moved", () => {
  expect(freeName("How many?", ["how_many"])).toBe("how_many_2");
  const fields = [createField("text", []), createField("file", ["text"])];
  expect(moveField(fields, 1, 0).map(({ name }) => name)).toEqual(["files", "text"]);
  expect(moveField(fields, 0, -1)).toBe(fields);
});

test("a required field that is shown by a condition is only required by that condition", () => {
  const test = { properties: { model: { const: "strong" } }, required: ["model"] };
  const model = readForm({
    ...KNOWN,
    required: ["model", "why"],
    allOf: [{ if: test, else: { properties: { why: false } } }],
  });
  const schema = writeForm(model);
  expect(schema.required).toEqual(["model"]);
  expect(schema.allOf).toEqual([
    // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
    { if: test, then: { required: ["why"] }, else: { properties: { why: false } } },
  ]);
  expect(readForm(schema)).toEqual(model);
});

test("renaming a field updates the conditions that refer to it", () => {
  const { fields } = readForm(KNOWN);
  const renamed = renameField(fields, "model", "laptop");
  expect(renamed.map(({ name }) => name).slice(0, 2)).toEqual(["laptop", "why"]);
  expect(renamed[1]?.when).toEqual({ field: "laptop", is: "strong", effect: "show" });
  expect([checkName("laptop", ["why"]), checkName("why", ["why"]), checkName("2x", [])]).toEqual([
    undefined,
    "Another field already uses this name.",
    "Use letters, digits and underscores. Start with a letter. Example: device_type",
  ]);
});
