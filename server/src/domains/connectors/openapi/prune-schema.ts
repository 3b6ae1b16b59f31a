import type { PrunedSchema } from "./discovered-action.ts";
import { type Document, listOf, type DocumentNode, nodeOf } from "./document.ts";

/** Limits of the size of a schema. */
export interface PruneLimits {
  /** The maximum depth. */
  readonly levels: number;
  /** The remaining number of parts; decremented. */
  parts: number;
}

/** Keywords with the same meaning in all versions, which are cheap to validate. */
const COPIED_KEYWORDS = [
  "title",
  "description",
  "format",
  "default",
  "enum",
  "const",
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;
const LISTS = ["allOf", "anyOf", "oneOf"] as const;
const TYPES = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);
const DESCRIPTION_CHARACTERS_MAX = 500;

/**
 * Converts a schema of a document to a self-contained one. References are inlined; beyond the depth limit, and for
 * recursive references, any value is allowed. So validation time is bounded for any document. Patterns are kept as
 * documentation but not checked: a backtracking one would block the process.
 */
export function pruneSchema(document: Document, value: unknown, limits: PruneLimits): PrunedSchema {
  if (value === false) return { not: {} };
  if (limits.levels <= 0 || limits.parts <= 0) return {};
  limits.parts -= 1;
  const node = document.resolve(value);
  const deeper = (part: unknown): PrunedSchema => {
    const below: PruneLimits = { levels: limits.levels - 1, parts: limits.parts };
    const schema = pruneSchema(document, part, below);
    limits.parts = below.parts;
    return schema;
  };
  return {
    ...plainPart(node),
    ...typePart(node),
    ...boundsOf(node),
    ...objectPart(document, node, deeper),
    ...("items" in node && { items: deeper(node["items"]) }),
    ...Object.fromEntries(
      LISTS.filter((name) => listOf(node[name]).length > 0).map((name) => [
        name,
        listOf(node[name]).map(deeper),
      ]),
    ),
  };
}

function plainPart(node: DocumentNode): DocumentNode {
  const entries = COPIED_KEYWORDS.filter((name) => isValidKeyword(name, node[name])).map((name) => [
    name,
    name === "description" ? String(node[name]).slice(0, DESCRIPTION_CHARACTERS_MAX) : node[name],
  ]);
  const pattern = node["pattern"];
  return {
    ...Object.fromEntries(entries),
    ...(typeof pattern === "string" && { "x-pattern": pattern }),
  };
}

/** A keyword with a value of the wrong type would make the validator throw. */
function isValidKeyword(name: (typeof COPIED_KEYWORDS)[number], value: unknown): boolean {
  if (value === undefined) return false;
  if (name === "default" || name === "const") return true;
  if (name === "enum") return Array.isArray(value) && value.length > 0;
  return /^(m|multipleOf)/.test(name)
    ? typeof value === "number" && Number.isFinite(value) && (name !== "multipleOf" || value > 0)
    : typeof value === "string";
}

/** OpenAPI 3.0 uses `nullable`, 3.1 lists types. */
function typePart(node: DocumentNode): DocumentNode {
  const types = [node["type"]].flat().filter((type) => typeof type === "string" && TYPES.has(type));
  if (types.length === 0) return {};
  const typeList = [...new Set([...types, ...(node["nullable"] === true ? ["null"] : [])])];
  // If the type allows null, the list of values must allow it too.
  return { type: typeList.length === 1 ? typeList[0] : typeList, ...nullableValues(node) };
}

function nullableValues(node: DocumentNode): DocumentNode {
  const values = node["enum"];
  if (node["nullable"] !== true || !Array.isArray(values)) return {};
  return { enum: [...new Set([...(values as unknown[]), null])] };
}

/** OpenAPI 3.0 has a boolean next to `minimum`, 3.1 a separate number. */
function boundsOf(node: DocumentNode): DocumentNode {
  const pairs = [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const;
  return Object.fromEntries(
    pairs.flatMap(([name, beside]) => {
      const value = node[name] === true ? node[beside] : node[name];
      return typeof value === "number" ? [[name, value]] : [];
    }),
  );
}

/** Read-only properties are not part of an input. */
function objectPart(
  document: Document,
  node: DocumentNode,
  deeper: (part: unknown) => PrunedSchema,
): DocumentNode {
  const properties = Object.entries(nodeOf(node["properties"])).filter(
    ([name, part]) => name !== "__proto__" && document.resolve(part)["readOnly"] !== true,
  );
  const hasProperties = "properties" in node;
  const names = new Set(properties.map(([name]) => name));
  const declared = nodeOf(node["properties"]);
  const required = listOf(node["required"]).filter(
    (name): name is string =>
      typeof name === "string" && (names.has(name) || !Object.hasOwn(declared, name)),
  );
  const others = node["additionalProperties"];
  return {
    ...(hasProperties && {
      properties: Object.fromEntries(properties.map(([name, part]) => [name, deeper(part)])),
    }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
    ...(others === false && { additionalProperties: false }),
    ...(typeof others === "object" && others !== null && { additionalProperties: deeper(others) }),
  };
}

const SUBSCHEMAS = ["not", "items", "additionalProperties"] as const;
const KEPT_KEYWORDS: ReadonlySet<string> = new Set([
  ...COPIED_KEYWORDS,
  ...LISTS,
  ...SUBSCHEMAS,
  "x-pattern",
  "type",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "properties",
  "required",
]);
/** More than any document or preset requires. */
const KEPT_LEVELS_MAX = 40;

/**
 * Returns whether a schema could be a result of `pruneSchema`: it has no references, and validation time is
 * bounded.
 */
export function isPrunedSchema(value: unknown, levels = KEPT_LEVELS_MAX): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value) || levels === 0)
    return false;
  const schema = value as DocumentNode;
  if (!Object.keys(schema).every((name) => KEPT_KEYWORDS.has(name))) return false;
  if (!COPIED_KEYWORDS.every((name) => !(name in schema) || isValidKeyword(name, schema[name])))
    return false;
  const { properties = {}, additionalProperties } = schema;
  const parts = [
    ...SUBSCHEMAS.filter((name) => name in schema).map((name) => schema[name]),
    ...LISTS.flatMap((name) => (name in schema ? [schema[name]].flat() : [])),
    ...Object.values(nodeOf(properties)),
  ];
  return parts.every(
    (part) =>
      (part === additionalProperties && typeof part === "boolean") ||
      isPrunedSchema(part, levels - 1),
  );
}
