import { expect, test } from "vitest";
import { mergeAttributes, toSchema, toTable } from "./attribute-model.ts";

const schema = {
  type: "object",
  properties: {
    cpus: { type: "integer", minimum: 1 },
    ip: { type: "string", format: "ipv4" },
    tier: { type: "string", enum: ["gold", "silver"] },
    ports: { type: "array", items: { type: "integer" } },
  },
  required: ["cpus"],
  additionalProperties: false,
};

test("parsing and serialising a schema does not change it", () => {
  expect(toSchema(toTable(schema))).toEqual(schema);
  expect(toTable(schema).lines.map(({ kind }) => kind)).toEqual([
    "integer",
    "ipv4",
    "choice",
    "other",
  ]);
  expect(toSchema(toTable({ type: "object" }))).toEqual({ type: "object", properties: {} });
});

test("another type changes the schema, and a line without a name is omitted", () => {
  const { lines } = toTable(schema);
  const [cpus, ip] = lines.map((line) => ({ ...line, kind: "text" as const }));
  if (!cpus || !ip) throw new Error("There are two.");
  const next = toSchema({ lines: [cpus, { ...ip, name: " " }], isOpen: true });
  expect(next).toEqual({
    type: "object",
    properties: { cpus: { type: "string" } },
    required: ["cpus"],
  });
});

test("a class inherits parent attributes, even with cyclic inheritance", () => {
  const classes = [
    { name: "server", extends: null, attributes: schema },
    {
      name: "vm",
      extends: "server",
      attributes: { type: "object", properties: { host: { type: "string" } }, required: ["host"] },
    },
    { name: "round", extends: "round", attributes: { type: "object" } },
  ];
  const merged = mergeAttributes(classes, "vm");
  expect(Object.keys(merged["properties"] as object)).toEqual([
    ...Object.keys(schema.properties),
    "host",
  ]);
  expect(merged["required"]).toEqual(["cpus", "host"]);
  expect(mergeAttributes(classes, "round")).toEqual({ type: "object", properties: {} });
});
