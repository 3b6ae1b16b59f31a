import fc from "fast-check";
import { expect, test } from "vitest";
import { attributeFaults, mergedSchema } from "./check-attributes.ts";
import { FREE, type ObjectSchema, readSchema } from "./schema.ts";

function schemaOf(given: Record<string, unknown>): ObjectSchema {
  const read = readSchema(given, "/attributes");
  if ("faults" in read) throw new Error(JSON.stringify(read.faults));
  return read.schema;
}

function faultsOf(given: Record<string, unknown>) {
  const read = readSchema(given, "/attributes");
  return "faults" in read ? read.faults.map(({ path }) => path) : [];
}

test("a map of attributes is the schema of an object that has no others", () => {
  const map = { cpus: { type: "integer", required: true }, note: { type: ["string", "null"] } };
  expect(schemaOf(map)).toEqual({
    type: "object",
    properties: { cpus: { type: "integer" }, note: { type: ["string", "null"] } },
    required: ["cpus"],
    additionalProperties: false,
  });
  const whole = { type: "object", properties: { cpus: { type: "number" } } };
  expect(schemaOf(whole)).toEqual(whole);
  // An attribute may be called like a keyword.
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
])("the schema %j is refused at %s", (given, path) => {
  expect(faultsOf(given)).toContain(path);
});

test("a schema that is too deep or too large is refused", () => {
  let deep: Record<string, unknown> = { type: "string" };
  for (let depth = 0; depth < 50; depth += 1) deep = { items: deep };
  expect(faultsOf({ deep })).toHaveLength(1);
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`a${n}`, {}]));
  expect(faultsOf(many)).toEqual(["/attributes"]);
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
  [{ format: "ipv4" }, "1.2.3", "does not have the form of ipv4"],
  [{ format: "uri" }, `http://${"a".repeat(5_000)}`, "does not have the form of uri"],
])("%j does not hold for %j", (schema, value, message) => {
  const faults = attributeFaults(schemaOf({ a: schema }), { a: value }, "");
  expect(faults).toEqual([{ path: "/a", message }]);
});

test("what fits a schema has no faults, and what is inside is looked at too", () => {
  const schema = schemaOf({
    ports: { type: "array", items: { type: "integer", maximum: 65_535 } },
    os: { type: "object", properties: { name: { enum: ["linux"] } }, required: ["name"] },
    address: { format: "ipv6" },
  });
  const fitting = { ports: [22, 443], os: { name: "linux", release: 6 }, address: "::1" };
  expect(attributeFaults(schema, fitting, "")).toEqual([]);
  const wrong = { ports: [22, 70_000], os: {}, toString: 1 };
  expect(attributeFaults(schema, wrong, "/x").map(({ path }) => path)).toEqual([
    "/x/ports/1",
    "/x/os/name",
    "/x/toString",
  ]);
});

test("a class has the attributes of those that it extends, and may say otherwise", () => {
  const above = schemaOf({ os: { type: "string", required: true }, cpus: { type: "string" } });
  const own = schemaOf({ cpus: { type: "integer" } });
  const merged = mergedSchema([above, own]);
  expect(attributeFaults(merged, { os: "linux", cpus: 4 }, "")).toEqual([]);
  expect(attributeFaults(merged, { cpus: "4", other: 1 }, "").map(({ path }) => path)).toEqual([
    "/os",
    "/cpus",
    "/other",
  ]);
  expect(mergedSchema([above, FREE])).toMatchObject({ additionalProperties: true });
});

test("whatever is given as a schema or as attributes, reading and checking end well", () => {
  const anything = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(anything, anything, (given, attributes) => {
      const read = readSchema(given as Record<string, unknown>, "");
      if ("faults" in read) return read.faults.length > 0;
      return Array.isArray(attributeFaults(read.schema, attributes, ""));
    }),
    { numRuns: 300 },
  );
});
