import fc from "fast-check";
import { expect, test } from "vitest";
import { attributeErrors, mergeSchemas } from "./check-attributes.ts";
import { ANY_ATTRIBUTES, type ObjectSchema, parseSchema } from "./schema.ts";
import { tries } from "#kernel/testing/thorough.ts";

function schemaOf(given: Record<string, unknown>): ObjectSchema {
  const read = parseSchema(given, "/attributes");
  if ("errors" in read) throw new Error(JSON.stringify(read.errors));
  return read.schema;
}

function errorPaths(given: Record<string, unknown>) {
  const read = parseSchema(given, "/attributes");
  return "errors" in read ? read.errors.map(({ path }) => path) : [];
}

test("a map of attributes is the schema of an object without other attributes", () => {
  const map = { cpus: { type: "integer", required: true }, note: { type: ["string", "null"] } };
  expect(schemaOf(map)).toEqual({
    type: "object",
    properties: { cpus: { type: "integer" }, note: { type: ["string", "null"] } },
    required: ["cpus"],
    additionalProperties: false,
  });
  const whole = { type: "object", properties: { cpus: { type: "number" } } };
  expect(schemaOf(whole)).toEqual(whole);
  // An attribute can have the name of a keyword.
  expect(schemaOf({ type: { type: "string" } })).toMatchObject({
    properties: { type: { type: "string" } },
  });
});

test.each([
  [{ a: 1 }, "/attributes/a"],
  [{ a: { type: "text" } }, "/attributes/properties/a/type"],
  [{ a: { type: [] } }, "/attributes/properties/a/type"],
  [{ a: { pattern: "^(a+)+$" } }, "/attributes/properties/a/pattern"],
  [{ a: { $ref: "#" } }, "/attributes/properties/a/$ref"],
  [{ a: { allOf: [] } }, "/attributes/properties/a/allOf"],
  [{ a: { enum: [] } }, "/attributes/properties/a/enum"],
  [{ a: { minLength: -1 } }, "/attributes/properties/a/minLength"],
  [{ a: { maximum: "9" } }, "/attributes/properties/a/maximum"],
  [{ a: { format: "regex" } }, "/attributes/properties/a/format"],
  [{ a: { items: [] } }, "/attributes/properties/a/items"],
  [{ a: { items: { items: { type: "x" } } } }, "/attributes/properties/a/items/items/type"],
  [{ type: "object", properties: { a: true } }, "/attributes/properties/a"],
  [{ type: "object", required: "a" }, "/attributes/required"],
  [{ type: "object", additionalProperties: {} }, "/attributes/additionalProperties"],
  [{ type: "object", properties: { "": {} } }, "/attributes/properties/"],
])("the schema %j is rejected at %s", (given, path) => {
  expect(errorPaths(given)).toContain(path);
});

test("a schema that is too deep or too large is rejected", () => {
  let deep: Record<string, unknown> = { type: "string" };
  for (let depth = 0; depth < 50; depth += 1) deep = { items: deep };
  expect(errorPaths({ deep })).toHaveLength(1);
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`a${n}`, {}]));
  expect(errorPaths(many)).toEqual(["/attributes"]);
});

test.each([
  [{ type: "integer" }, 1.5, "must be a whole number"],
  [{ type: ["number", "null"] }, "1", "must be a number or null"],
  [{ enum: ["a", { b: [1] }] }, { b: [2] }, 'must be one of "a", {"b":[1]}'],
  [{ minimum: 2 }, 1, "must be at least 2"],
  [{ maximum: 2 }, 3, "must be at most 2"],
  [{ minLength: 2 }, "a", "must have at least 2 characters"],
  [{ maxLength: 2 }, "abc", "must have at most 2 characters"],
  [{ maxItems: 1 }, [1, 2], "must have at most 1 elements"],
  [{ format: "ipv4" }, "1.2.3", "is not a valid ipv4"],
  [{ format: "uri" }, `http://${"a".repeat(5_000)}`, "is not a valid uri"],
])("%j is not valid for %j", (schema, value, message) => {
  const errors = attributeErrors(schemaOf({ a: schema }), { a: value }, "");
  expect(errors).toEqual([{ path: "/a", message }]);
});

test("valid attributes have no errors, and nested values are checked too", () => {
  const schema = schemaOf({
    ports: { type: "array", items: { type: "integer", maximum: 65_535 } },
    os: { type: "object", properties: { name: { enum: ["linux"] } }, required: ["name"] },
    address: { format: "ipv6" },
  });
  const fitting = { ports: [22, 443], os: { name: "linux", release: 6 }, address: "::1" };
  expect(attributeErrors(schema, fitting, "")).toEqual([]);
  const wrong = { ports: [22, 70_000], os: {}, toString: 1 };
  expect(attributeErrors(schema, wrong, "/x").map(({ path }) => path)).toEqual([
    "/x/ports/1",
    "/x/os/name",
    "/x/toString",
  ]);
});

test("a class inherits attributes from its base classes, and can redefine them", () => {
  const above = schemaOf({ os: { type: "string", required: true }, cpus: { type: "string" } });
  const own = schemaOf({ cpus: { type: "integer" } });
  const merged = mergeSchemas([above, own]);
  expect(attributeErrors(merged, { os: "linux", cpus: 4 }, "")).toEqual([]);
  expect(attributeErrors(merged, { cpus: "4", other: 1 }, "").map(({ path }) => path)).toEqual([
    "/os",
    "/cpus",
    "/other",
  ]);
  expect(mergeSchemas([above, ANY_ATTRIBUTES])).toMatchObject({ additionalProperties: true });
});

test("any schema and any attributes are parsed and checked without an exception", () => {
  const anything = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(anything, anything, (given, attributes) => {
      const read = parseSchema(given as Record<string, unknown>, "");
      if ("errors" in read) return read.errors.length > 0;
      return Array.isArray(attributeErrors(read.schema, attributes, ""));
    }),
    { numRuns: tries(300) },
  );
});
