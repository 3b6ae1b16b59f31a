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

test("a schema that is read and written again is the one it was, whatever is in it", () => {
  expect(toSchema(toTable(schema))).toEqual(schema);
  expect(toTable(schema).lines.map(({ kind }) => kind)).toEqual([
    "integer",
    "ipv4",
    "choice",
    "other",
  ]);
  expect(toSchema(toTable({ type: "object" }))).toEqual({ type: "object", properties: {} });
});

test("another kind is another schema, and a line without a name is none", () => {
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

test("a class has the attributes of what it extends, also where classes extend each other", () => {
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
