/**
 * Attribute schemas: a subset of JSON Schema. They are user input, so they are interpreted keyword by keyword and
 * never compiled. Potentially slow keywords such as `pattern` are not supported.
 */
import type { FieldError } from "#kernel/operation/failure.ts";
import type { StoredDefinition } from "#kernel/resource/stored-definition.ts";

export const ATTRIBUTE_TYPES = [
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "null",
] as const;
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];

export const FORMATS = [
  "date",
  "date-time",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uuid",
] as const;

export interface AttributeSchema {
  readonly type?: AttributeType | readonly AttributeType[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly format?: (typeof FORMATS)[number];
  readonly items?: AttributeSchema;
  readonly properties?: Readonly<Record<string, AttributeSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** The schema of all attributes of an item: one object. */
export type ObjectSchema = AttributeSchema & { readonly type: "object" };

export const ANY_ATTRIBUTES: ObjectSchema = { type: "object" };

const PARTS_MAX = 500;
const DEPTH_MAX = 6;
const NAME_CHARACTERS_MAX = 100;

/** A valid schema, or its errors. */
export type ParsedSchema =
  | { readonly schema: ObjectSchema }
  | { readonly errors: readonly FieldError[] };

/**
 * Parses a JSON Schema of an object, or a map from names to attribute schemas with optional `required`. A map allows
 * no other attributes.
 */
export function parseSchema(schema: Readonly<Record<string, unknown>>, path: string): ParsedSchema {
  const whole =
    schema["type"] === "object" ? { schema, errors: [] } : objectSchemaFromMap(schema, path);
  const errors = [...whole.errors];
  const parts = { left: PARTS_MAX };
  if (errors.length === 0) checkSchema(whole.schema, { path, depth: 0, parts, errors });
  if (parts.left < 0) errors.push({ path, message: `must have at most ${PARTS_MAX} parts` });
  if (errors.length > 0) return { errors };
  // All its keywords were checked.
  return { schema: whole.schema as unknown as ObjectSchema };
}

/** Validates classes before they are saved. Their schemas are interpreted keyword by keyword. */
export const classDefinition: StoredDefinition = {
  table: "cmdb_classes",
  key: "environment::text || ' ' || name",
  columns: "attributes",
  check(_services, { attributes }) {
    const isWhole = isObject(attributes) && attributes["type"] === "object";
    if (!isWhole) return [{ path: "/attributes", message: "must be the schema of an object" }];
    const parsed = parseSchema(attributes, "/attributes");
    return "errors" in parsed ? parsed.errors : [];
  },
};

function objectSchemaFromMap(map: Readonly<Record<string, unknown>>, path: string) {
  const required: string[] = [];
  const errors: FieldError[] = [];
  const properties = Object.entries(map).map(([name, part]) => {
    if (!isObject(part)) {
      errors.push({ path: `${path}/${name}`, message: "must be the schema of an attribute" });
      return [name, {}] as const;
    }
    const { required: isRequired, ...schema } = part;
    if (typeof isRequired !== "boolean") return [name, part] as const;
    if (isRequired) required.push(name);
    return [name, schema] as const;
  });
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return { schema, errors };
}

interface SchemaPosition {
  readonly path: string;
  readonly depth: number;
  readonly parts: { left: number };
  readonly errors: FieldError[];
}

function checkSchema(schema: Readonly<Record<string, unknown>>, position: SchemaPosition): void {
  const { path, depth, parts, errors } = position;
  parts.left -= 1;
  // One error is sufficient for a schema that is too large.
  if (parts.left < 0) return;
  if (depth > DEPTH_MAX) {
    errors.push({ path, message: `must have at most ${DEPTH_MAX} levels of nesting` });
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${path}/${keyword}`;
    const check = KEYWORDS.get(keyword);
    const message = check ? check(value) : "is not a keyword that attribute schemas support";
    if (message !== undefined) errors.push({ path: at, message });
  }
  const { items, properties } = schema;
  if (isObject(items)) checkSchema(items, { ...position, path: `${path}/items`, depth: depth + 1 });
  if (!isObject(properties)) return;
  for (const [name, part] of Object.entries(properties)) {
    const at = `${path}/properties/${name}`;
    if (name === "" || name.length > NAME_CHARACTERS_MAX) {
      errors.push({ path: at, message: `must have 1 to ${NAME_CHARACTERS_MAX} characters` });
    } else if (!isObject(part)) errors.push({ path: at, message: "must be a schema" });
    else checkSchema(part, { ...position, path: at, depth: depth + 1 });
  }
}

type KeywordCheck = (value: unknown) => string | undefined;

const number: KeywordCheck = (value) =>
  typeof value === "number" ? undefined : "must be a number";
const count: KeywordCheck = (value) =>
  Number.isInteger(value) && Number(value) >= 0
    ? undefined
    : "must be a whole number of at least 0";
const text: KeywordCheck = (value) => (typeof value === "string" ? undefined : "must be a string");
const object: KeywordCheck = (value) => (isObject(value) ? undefined : "must be an object");
const anyValue: KeywordCheck = () => undefined;
const texts: KeywordCheck = (value) =>
  Array.isArray(value) && value.every((name) => typeof name === "string")
    ? undefined
    : "must be a list of names";
const oneOf =
  (allowed: readonly string[]): KeywordCheck =>
  (value) =>
    typeof value === "string" && allowed.includes(value)
      ? undefined
      : `must be one of ${allowed.join(", ")}`;

const KEYWORDS: ReadonlyMap<string, KeywordCheck> = new Map<string, KeywordCheck>([
  ["$schema", text],
  ["title", text],
  ["description", text],
  ["examples", anyValue],
  ["default", anyValue],
  [
    "type",
    (value) =>
      Array.isArray(value) && value.length > 0
        ? value.map(oneOf(ATTRIBUTE_TYPES)).find((message) => message !== undefined)
        : oneOf(ATTRIBUTE_TYPES)(value),
  ],
  ["enum", (value) => (Array.isArray(value) && value.length > 0 ? undefined : "must be a list")],
  ["minimum", number],
  ["maximum", number],
  ["minLength", count],
  ["maxLength", count],
  ["minItems", count],
  ["maxItems", count],
  ["format", oneOf(FORMATS)],
  ["items", object],
  ["properties", object],
  ["required", texts],
  [
    "additionalProperties",
    (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  ],
]);

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
