import { expect, test } from "vitest";
import { parseForm } from "#kernel/html/form/form-values.ts";
import { listPlainFields, type Schema, toSchemaValue } from "./schema-field.ts";

const schema: Schema = {
  type: "object",
  required: ["model", "address"],
  "x-order": ["seats", "model"],
  properties: {
    model: { type: "string", oneOf: [{ const: "light", title: "Light" }, { const: "strong" }] },
    seats: { type: "integer", title: "For how many?" },
    remote: { type: "boolean" },
    extras: { type: "array", items: { type: "string", enum: ["Dock", "Headset"] } },
    hosts: { type: "array", items: { type: "string" } },
    photo: { type: "array", items: { type: "string", "x-file": true } },
    address: {
      type: "object",
      title: "Home",
      required: ["city"],
      properties: { "a/b": { type: "string" }, city: { type: "string" } },
    },
    accounts: {
      type: "array",
      items: { type: "object", required: ["system"], properties: { system: { type: "string" } } },
    },
    hidden: false,
  },
};
const fields = listPlainFields(schema);

test("each property has a field named by its pointer; rows of a list are never required", () => {
  expect(fields.map(({ name, input }) => `${name} ${input}`)).toEqual([
    "/seats number",
    "/model radio",
    "/remote checkbox",
    "/extras checkboxes",
    "/hosts lines",
    "/photo file",
    "/address/a~1b text",
    "/address/city text",
    "/accounts/0/system text",
    "/accounts/1/system text",
    "/accounts/2/system text",
  ]);
  const required = fields.filter((field) => field.required);
  expect(required.map(({ name }) => name)).toEqual(["/model", "/address/city"]);
});

test("converts posted values to the types of the schema, without empty ones", () => {
  const posted = new Map([
    ["/seats", ["3"]],
    ["/model", ["strong"]],
    ["/extras", ["Dock", "Headset"]],
    ["/hosts", ["a\r\n\n b "]],
    ["/address/a~1b", ["x"]],
    ["/address/city", [" "]],
    ["/accounts/1/system", ["ERP"]],
    ["/unknown", ["y"]],
    ["/__proto__/x", ["z"]],
  ]);
  const { values } = parseForm(fields, posted);
  expect(toSchemaValue(values)).toEqual({
    seats: 3,
    model: "strong",
    extras: ["Dock", "Headset"],
    hosts: ["a", "b"],
    address: { "a/b": "x" },
    accounts: [{ system: "ERP" }],
  });
  const { errors } = parseForm(fields, new Map([["/seats", ["many"]]]));
  expect([...errors]).toContainEqual(["/seats", "Enter a number, for example 12.5."]);
});
