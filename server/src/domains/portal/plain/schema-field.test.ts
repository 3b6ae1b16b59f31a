import { expect, test } from "vitest";
import { listPlainFields, readPlainValue, type Schema } from "./schema-field.ts";

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

test("every property has a field that is named by its pointer; rows of a list are never required", () => {
  expect(fields.map(({ pointer, kind }) => `${pointer} ${kind}`)).toEqual([
    "/seats number",
    "/model choice",
    "/remote check",
    "/extras several",
    "/hosts lines",
    "/photo file",
    "/address/a~1b line",
    "/address/city line",
    "/accounts/0/system line",
    "/accounts/1/system line",
    "/accounts/2/system line",
  ]);
  const required = fields.filter(({ isRequired }) => isRequired);
  expect(required.map(({ pointer }) => pointer)).toEqual(["/model", "/address/city"]);
});

test("what was posted becomes a value of the schema's types, without what was left empty", () => {
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
  expect(readPlainValue(fields, posted)).toEqual({
    seats: 3,
    model: "strong",
    extras: ["Dock", "Headset"],
    hosts: ["a", "b"],
    address: { "a/b": "x" },
    accounts: [{ system: "ERP" }],
  });
  // What is no number is told by the operation, at its field.
  expect(readPlainValue(fields, new Map([["/seats", ["many"]]]))).toEqual({ seats: "many" });
});
