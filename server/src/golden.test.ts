import { readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { describe, expect, inject, test } from "vitest";
import { parse } from "yaml";
import { generateTableTypes } from "#kernel/db/setup/generate-tables.ts";
import { describeApi } from "#kernel/operation/description/describe-api.ts";
import { renderYaml } from "#kernel/http/yaml.ts";
import { NOTES_SQL } from "#kernel/testing/notes.ts";
import { IS_THOROUGH } from "#kernel/testing/thorough.ts";
import { startWorld } from "#kernel/testing/world.ts";
import { followRef } from "../../client/src/references.ts";
import type { Operation } from "#kernel/contract.ts";
import { domains } from "./app.ts";
import { renderGeneratedFiles, TABLE_TYPES } from "./contract/generated-files.ts";

const root = join(import.meta.dirname, "../..");
const text = (name: string): string => readFileSync(join(root, name), "utf8");
const golden = (name: string): unknown => JSON.parse(text(name));
const operations = domains.flatMap((domain) => domain.operations);
const api = describeApi(domains);
const paths = api["paths"] as Record<string, Record<string, any>>;

const generated = renderGeneratedFiles(domains);

test.each([...generated])("%s matches the code (npm run generate)", (path, said) => {
  expect(findDifference(text(path), said)).toBeUndefined();
});

/** The first different line, because a full comparison of megabytes takes many times as long. */
function findDifference(one: string, other: string) {
  if (one === other) return undefined;
  const [lines, others] = [one.split("\n"), other.split("\n")];
  const at = lines.findIndex((line, index) => line !== others[index]);
  return { line: at + 1, file: lines[at], code: others[at] };
}

test("marks every generated file, so that reviews collapse it", () => {
  const marked = [...text(".gitattributes").matchAll(/^(\S+) linguist-generated$/gm)];
  const isMarked = (path: string) => marked.some(([, glob = ""]) => matchesGlob(path, glob));
  const paths = [TABLE_TYPES, ...generated.keys()];
  expect(paths.filter((path) => !isMarked(path))).toEqual([]);
  // Files are only written to these paths.
  const generator = text("server/src/generate.ts");
  expect(generator.match(/writeFileSync\((?!join\(root, (TABLE_TYPES|path)\))/g)).toBeNull();
});

test("contract/operations.txt lists every operation once", () => {
  const [, ...lines] = text("contract/operations.txt").trimEnd().split("\n");
  expect(lines.map((line) => line.split(" ")[0])).toEqual(
    operations.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1)),
  );
});

test("the contract is compact: common parts of operations and events are written once", () => {
  const routeCount = operations.flatMap((op) => [op.route, ...(op.aliases ?? [])]).length;
  const eventCount = domains.flatMap(({ events }) => events).length;
  expect(text("contract/openapi.json").length / routeCount).toBeLessThan(3_550);
  expect(text("contract/events.json").length / eventCount).toBeLessThan(2_000);
});

test("every reference of the contract has a target", () => {
  const broken = [api, golden("contract/events.json") as object].flatMap((document) =>
    listRefs(document).filter(($ref) => !leadsSomewhere(document, $ref)),
  );
  expect(broken).toEqual([]);
});

function listRefs(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { $ref } = value as { $ref?: unknown };
  return [
    ...(typeof $ref === "string" ? [$ref] : []),
    ...Object.values(value).flatMap((part) => listRefs(part)),
  ];
}

function leadsSomewhere(document: object, $ref: string): boolean {
  try {
    return Object.keys(followRef(document, { $ref })).length > 0;
  } catch {
    return false;
  }
}

test("aliases reference the parameters, body and responses of the original operation", () => {
  const described = Object.values(paths).flatMap((methods) => Object.values(methods));
  const byId = new Map(described.map((one) => [one.operationId, one]));
  const aliases = described.filter((one) => one["x-alias-of"] !== undefined);
  expect(aliases.length).toBe(operations.flatMap((op) => op.aliases ?? []).length);
  for (const alias of aliases) {
    const original = byId.get(alias["x-alias-of"]);
    const parts = [
      ...alias.parameters,
      ...Object.values(alias.responses),
      ...(alias.requestBody ? [alias.requestBody] : []),
    ];
    expect(parts.filter((part) => !("$ref" in part))).toEqual([]);
    expect(alias.responses).toEqual(original.responses);
    expect(alias.requestBody).toEqual(original.requestBody);
    // Path parameters belong to the alias itself.
    const [others, expected] = [alias, original].map((one) =>
      one.parameters.filter((part: object) => followRef<any>(api, part).in !== "path"),
    );
    expect(others).toEqual(expected);
  }
});

test("schemas have meaningful names", () => {
  const names = Object.keys((api["components"] as { schemas: object }).schemas);
  const odd = /^[^A-Z]|[^A-Za-z]|([A-Z][a-z]+)\1|Thing|Seen|Shown|Noted|Moment/;
  expect(names.filter((name) => odd.test(name))).toEqual([]);
});

test("tables.ts matches the migrations (npm run generate)", async () => {
  const { owner, template } = inject("database");
  const described = await generateTableTypes({ ...owner, database: template });
  expect(NOTES_SQL).toContain("notes");
  expect(described.replace(/ {2}notes: \{[^}]*\};\n/, "")).toBe(text(TABLE_TYPES));
});

test("the description is valid OpenAPI 3.1, as JSON and as YAML", async () => {
  await using world = await startWorld();
  const json = await world.stranger("GET /api/v1/openapi.json");
  expect(json.headers["content-type"]).toMatch(/^application\/json/);
  const result = await new Validator().validate(structuredClone(json.body));
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  const yaml = await world.stranger("GET /api/v1/openapi.yaml");
  expect(yaml.body === renderYaml(json.body)).toBe(true);
  // Parsing all of it takes seconds, so this checks some of the paths and all other parts.
  const { paths: all, components, ...rest } = json.body;
  const some = Object.entries(all).filter((_, index) => index % 24 === 0);
  const part = IS_THOROUGH ? json.body : { ...rest, paths: Object.fromEntries(some) };
  // As texts, because comparing megabytes field by field takes many times as long.
  expect(JSON.stringify(parse(renderYaml(part))) === JSON.stringify(part)).toBe(true);
  expect(Object.keys(components).length).toBeGreaterThan(0);
});

describe.each(operations.map((op) => [op.id, op] as const))("%s", (_, op) => {
  test("describes permissions, events, failures and valid examples", () => {
    for (const route of [op.route, ...(op.aliases ?? [])]) {
      const [method = "", path = ""] = route.replace(/\*$/, "{rest}").split(" ");
      const described = paths[path]?.[method.toLowerCase()];
      expect(described.summary.length).toBeGreaterThan(5);
      expect(described["x-permission"]).toBe(op.permission?.name ?? null);
      expect(described["x-events"]).toEqual(op.emits.map(({ type }) => type));
      for (const { status, code } of op.fails ?? []) {
        expect(followRef<any>(api, described.responses[status]).description).toContain(code);
      }
      if (op.body) {
        const { content } = followRef<any>(api, described.requestBody);
        expect(content["application/json"].example).toBeDefined();
      }
    }
    for (const part of ["params", "query", "body"] as const) {
      const schema = op[part];
      const example = op.example?.[part];
      if (schema && example !== undefined) expect(Value.Check(schema, example)).toBe(true);
    }
  });
});

test("every list has a limit and a cursor, and reports whether there is more", () => {
  const isList = ({ response, route }: Operation): boolean =>
    route.startsWith("GET") && fieldsOf(response.body)["data"]?.["type"] === "array";
  const lists = operations.filter(isList);
  expect(lists.length).toBeGreaterThan(60);
  // A search has one page, because less similar results are not relevant.
  const unpaged = lists.filter(({ id }) => id !== "knowledge.search");
  for (const { id, query, response } of unpaged) {
    expect([id, Object.keys(fieldsOf(query))]).toEqual([
      id,
      expect.arrayContaining(["limit", "after"]),
    ]);
    expect([id, fieldsOf(response.body)["pagination"]]).toEqual([id, expect.any(Object)]);
  }
});

function fieldsOf(schema: TSchema | undefined): Record<string, Record<string, unknown>> {
  return (schema as { properties?: Record<string, Record<string, unknown>> })?.properties ?? {};
}

test("operationIds are valid, unique names in every language", () => {
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => String(operationId)),
  );
  for (const id of ids) expect(id).toMatch(/^[a-z]\w*\.[a-z]\w*$/);
  const names = ids.map((id) => id.replaceAll(/[._]/g, "").toLowerCase());
  expect(new Set(names).size).toBe(names.length);
  expect(ids).toEqual(expect.arrayContaining(["api.describe_json", "api.describe_yaml"]));
});

test("a path contains exactly its described parameters", () => {
  for (const [path, methods] of Object.entries(paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(path).not.toContain("*");
    for (const { parameters = [] } of Object.values(methods)) {
      const followed = parameters.map((one: any) => followRef<any>(api, one));
      const described = followed.filter((one: any) => one.in === "path");
      expect([path, described.map((one: any) => one.name).toSorted()]).toEqual([
        path,
        named.toSorted(),
      ]);
    }
  }
});

test("ids, routes, events and permissions are each declared once", () => {
  const routes = operations.flatMap(({ route, aliases = [] }) => [route, ...aliases]);
  const events = domains.flatMap((domain) => domain.events.map(({ type }) => type));
  const permissions = domains.flatMap((domain) => domain.permissions.map(({ name }) => name));
  for (const names of [operations.map(({ id }) => id), routes, events, permissions]) {
    expect(new Set(names).size).toBe(names.length);
  }
});

test("everything an operation references is in a catalog", () => {
  const events = domains.flatMap((domain) => domain.events);
  const permissions = domains.flatMap((domain) => domain.permissions);
  for (const { operations: declared, name } of domains) {
    for (const op of declared) {
      for (const { type } of op.emits)
        expect([name, events.map((one) => one.type)]).toEqual([
          name,
          expect.arrayContaining([type]),
        ]);
      if (op.permission) expect(permissions).toContain(op.permission);
    }
  }
});
