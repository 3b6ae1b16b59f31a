import { stringify } from "yaml";
import { describe, expect, test } from "vitest";
import { DocumentError } from "./document.ts";
import { discoverActions } from "./discover-actions.ts";

const document = (more: object = {}) => ({
  openapi: "3.0.3",
  info: { title: "Pets", version: "1.2" },
  servers: [{ url: "https://{region}.pets.example/v1", variables: { region: { default: "eu" } } }],
  paths: { "/pets": { get: { operationId: "listPets", summary: "List the pets" } } },
  ...more,
});
const read = (value: object, from?: string) => discoverActions(JSON.stringify(value), from);
const inputOf = async (operation: object, more: object = {}): Promise<any> => {
  const paths = { "/pets/{id}": { post: operation } };
  return (await read(document({ paths, ...more }))).actions[0]?.input;
};
const bodyOf = async (schema: object, more: object = {}): Promise<any> => {
  const operation = { requestBody: { content: { "application/json": { schema } } } };
  return (await inputOf(operation, more)).properties.body;
};

test("JSON and YAML produce the same actions", async () => {
  const value = document();
  const found = await read(value);
  expect(found).toEqual({
    title: "Pets",
    version: "1.2",
    serverUrl: "https://eu.pets.example/v1",
    leftOut: 0,
    actions: [
      {
        name: "listPets",
        summary: "List the pets",
        method: "GET",
        path: "/pets",
        parameters: [],
        bodyType: null,
        input: { type: "object", properties: {}, additionalProperties: false },
      },
    ],
  });
  expect(await discoverActions(stringify(value), undefined)).toEqual(found);
});

test("the server URL is relative to the URL of the document", async () => {
  const relative = document({ servers: [{ url: "/api/v3" }] });
  expect((await read(relative, "https://x.example/docs/openapi.json")).serverUrl).toBe(
    "https://x.example/api/v3",
  );
  expect((await read(relative)).serverUrl).toBeNull();
  const { servers: _, ...none } = document();
  expect((await read(none, "https://x.example/docs/a.json")).serverUrl).toBe("https://x.example/");
});

test("path, query, header parameters and the body become input fields", async () => {
  const input = await inputOf(
    {
      parameters: [
        { name: "id", in: "path", required: true, schema: { type: "integer" } },
        { name: "id", in: "query", schema: { type: "string" }, description: "Another one" },
        { $ref: "#/components/parameters/Trace" },
        { name: "body", in: "query", required: true, schema: {} },
        { name: "session", in: "cookie", schema: {} },
      ],
      requestBody: { $ref: "#/components/requestBodies/Pet" },
    },
    {
      components: {
        parameters: { Trace: { name: "X-Trace", in: "header", schema: { type: "string" } } },
        requestBodies: {
          Pet: { required: true, content: { "application/json": { schema: { type: "object" } } } },
        },
      },
    },
  );
  expect(input).toEqual({
    type: "object",
    properties: {
      id: { type: "integer" },
      query_id: { type: "string", description: "Another one" },
      "X-Trace": { type: "string" },
      query_body: {},
      body: { type: "object" },
    },
    required: ["id", "query_body", "body"],
    additionalProperties: false,
  });
});

test("operations without an id get a unique generated name", async () => {
  const paths = {
    "/a": { get: {}, post: { operationId: "same" } },
    "/b": { put: { operationId: "same" }, delete: { operationId: " same " } },
  };
  expect((await read(document({ paths }))).actions.map(({ name }) => name)).toEqual([
    "GET /a",
    "same",
    "same_2",
    "same_3",
  ]);
});

test("an operation with an unsupported body is skipped and counted", async () => {
  const body = (required: boolean) => ({
    requestBody: { required, content: { "multipart/form-data": { schema: {} } } },
  });
  const paths = { "/a": { post: body(true), put: body(false), get: {} } };
  const { actions, leftOut } = await read(document({ paths }));
  expect(actions.map(({ name }) => name)).toEqual(["GET /a", "PUT /a"]);
  expect(leftOut).toBe(1);
});

describe("schemas", () => {
  test("converts OpenAPI 3.0 to JSON Schema, and removes read-only fields", async () => {
    const schema = {
      type: "object",
      required: ["id", "name"],
      properties: {
        id: { type: "integer", readOnly: true },
        name: { type: "string", nullable: true, minLength: 1, pattern: "^(a+)+$" },
        age: { type: "integer", minimum: 0, exclusiveMinimum: true },
        kind: { type: "string", enum: ["a"], nullable: true },
        tags: { type: "array", items: { $ref: "#/components/schemas/Tag" }, maxItems: "many" },
      },
      additionalProperties: { type: "number" },
    };
    expect(await bodyOf(schema, { components: { schemas: { Tag: { type: "string" } } } })).toEqual({
      type: "object",
      required: ["name"],
      properties: {
        name: { type: ["string", "null"], minLength: 1, "x-pattern": "^(a+)+$" },
        age: { type: "integer", minimum: 0, exclusiveMinimum: 0 },
        kind: { type: ["string", "null"], enum: ["a", null] },
        tags: { type: "array", items: { type: "string" } },
      },
      additionalProperties: { type: "number" },
    });
  });

  test("truncates a recursive schema at the maximum depth", async () => {
    const schemas = {
      Node: { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } } },
      Loop: { allOf: [{ $ref: "#/components/schemas/Loop" }] },
    };
    let node = await bodyOf({ $ref: "#/components/schemas/Node" }, { components: { schemas } });
    let depth = 0;
    for (; node?.properties; depth += 1) node = node.properties.next;
    expect([depth, node]).toEqual([12, {}]);
    expect(
      JSON.stringify(
        await bodyOf({ $ref: "#/components/schemas/Loop" }, { components: { schemas } }),
      ),
    ).toMatch(/^\{("allOf":\[\{)+\}/);
  });

  test("a schema that doubles at each level stays small", async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `S${at}`,
        { allOf: [1, 2].map(() => ({ $ref: `#/components/schemas/S${at + 1}` })) },
      ]),
    );
    const components = { schemas: { ...schemas, S40: { type: "string" } } };
    const body = await bodyOf({ $ref: "#/components/schemas/S0" }, { components });
    expect(JSON.stringify(body).length).toBeLessThan(10_000);
  });

  test("truncates all schemas further if there are very many", async () => {
    const deep = (levels: number): object =>
      levels === 0
        ? { type: "string", description: "x".repeat(500) }
        : { type: "object", properties: { a: deep(levels - 1), b: deep(levels - 1) } };
    const schema = { $ref: "#/components/schemas/Deep" };
    const operation = { requestBody: { content: { "application/json": { schema } } } };
    const paths = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`/p${at}`, { post: operation }]),
    );
    const { actions } = await read(document({ paths, components: { schemas: { Deep: deep(6) } } }));
    expect(actions).toHaveLength(150);
    expect(JSON.stringify(actions).length).toBeLessThan(4_000_000);
  });
});

const BILLION_LAUGHS = [
  "openapi: 3.0.0",
  "a: &a [x, x, x, x, x, x, x, x, x, x]",
  ...["b", "c", "d", "e", "f"].map(
    (name, at) => `${name}: &${name} [${Array(10).fill(`*${"abcde"[at]}`).join(", ")}]`,
  ),
].join("\n");

test.each([
  ["swagger: '2.0'", "must be an OpenAPI document of version 3"],
  ["- a list", "must be an OpenAPI document of version 3"],
  ["{ not: [closed", "is neither JSON nor YAML"],
  [JSON.stringify(document({ paths: {} })), "has no operations"],
  [
    JSON.stringify(document({ paths: { "/a": { $ref: "other.yaml#/a" } } })),
    "refers to another document: other.yaml#/a",
  ],
  [
    JSON.stringify(document({ paths: { "/a": { $ref: "file:///etc/passwd" } } })),
    "refers to another document",
  ],
  [
    JSON.stringify(document({ paths: { "/a": { $ref: "#/no/where" } } })),
    "has an invalid reference",
  ],
  [
    JSON.stringify(document({ paths: { "/a": { $ref: "#/__proto__/x" } } })),
    "has an invalid reference",
  ],
  [
    JSON.stringify(document({ paths: { "/a": { $ref: "#/x-a" } }, "x-a": { $ref: "#/x-a" } })),
    "circular references",
  ],
  [BILLION_LAUGHS, "is neither JSON nor YAML: Excessive alias count"],
  [
    JSON.stringify(
      document({
        paths: Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`/${n}`, { get: {} }])),
      }),
    ),
    "more than 2000 operations",
  ],
])("rejects an unusable document: %#", async (text, message) => {
  const reading = discoverActions(text, undefined);
  await expect(reading).rejects.toBeInstanceOf(DocumentError);
  await expect(reading).rejects.toThrow(new RegExp(message));
});

test("removes values that the database cannot store", async () => {
  const paths = { "/a": { get: { operationId: "a\u0000b\ud800", summary: "\u0000" } } };
  expect((await read(document({ paths }))).actions[0]).toMatchObject({
    name: "ab\ufffd",
    summary: "",
  });
});
