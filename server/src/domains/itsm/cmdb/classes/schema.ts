/**
 * The schemas of attributes: a part of JSON Schema. Whatever people write here is read keyword by
 * keyword and never compiled; what could take long to check, such as a pattern, is no part of it.
 */
import type { FieldError } from "#kernel/operation/failure.ts";

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

/** What one attribute may hold. */
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

/** What all attributes of an item are: one object. */
export type ObjectSchema = AttributeSchema & { readonly type: "object" };

/** Any attributes at all. */
export const FREE: ObjectSchema = { type: "object" };

const PARTS_MAX = 500;
const DEPTH_MAX = 6;
const NAME_CHARACTERS_MAX = 100;

/** The schema that somebody gave, or what is wrong with it. */
export type Read = { readonly schema: ObjectSchema } | { readonly faults: readonly FieldError[] };

/**
 * Reads a JSON Schema of an object, or a map from names to the schemas of attributes, in which each may
 * say for itself that it is `required`. A map names all the attributes that there are.
 */
export function readSchema(given: Readonly<Record<string, unknown>>, path: string): Read {
  const whole = given["type"] === "object" ? { given, faults: [] } : wholeOf(given, path);
  const faults = [...whole.faults];
  const parts = { left: PARTS_MAX };
  if (faults.length === 0) check(whole.given, { path, depth: 0, parts, faults });
  if (parts.left < 0) faults.push({ path, message: `must have at most ${PARTS_MAX} parts` });
  if (faults.length > 0) return { faults };
  // Every keyword of it was looked at.
  return { schema: whole.given as unknown as ObjectSchema };
}

/** One schema of an object, made of a map. */
function wholeOf(map: Readonly<Record<string, unknown>>, path: string) {
  const required: string[] = [];
  const faults: FieldError[] = [];
  const properties = Object.entries(map).map(([name, part]) => {
    if (!isObject(part)) {
      faults.push({ path: `${path}/${name}`, message: "must be the schema of an attribute" });
      return [name, {}] as const;
    }
    const { required: isRequired, ...schema } = part;
    if (typeof isRequired !== "boolean") return [name, part] as const;
    if (isRequired) required.push(name);
    return [name, schema] as const;
  });
  const given = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return { given, faults };
}

interface Place {
  readonly path: string;
  readonly depth: number;
  readonly parts: { left: number };
  readonly faults: FieldError[];
}

function check(schema: Readonly<Record<string, unknown>>, place: Place): void {
  const { path, depth, parts, faults } = place;
  parts.left -= 1;
  // The rest of what is too much need not be looked at.
  if (parts.left < 0) return;
  if (depth > DEPTH_MAX) {
    faults.push({ path, message: `is nested more than ${DEPTH_MAX} levels deep` });
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${path}/${keyword}`;
    const judge = KEYWORDS.get(keyword);
    const message = judge ? judge(value) : "is not a keyword that schemas of attributes have";
    if (message !== undefined) faults.push({ path: at, message });
  }
  const { items, properties } = schema;
  if (isObject(items)) check(items, { ...place, path: `${path}/items`, depth: depth + 1 });
  if (!isObject(properties)) return;
  for (const [name, part] of Object.entries(properties)) {
    const at = `${path}/properties/${name}`;
    if (name === "" || name.length > NAME_CHARACTERS_MAX) {
      faults.push({ path: at, message: `must have 1 to ${NAME_CHARACTERS_MAX} characters` });
    } else if (!isObject(part)) faults.push({ path: at, message: "must be a schema" });
    else check(part, { ...place, path: at, depth: depth + 1 });
  }
}

type Judge = (value: unknown) => string | undefined;

const number: Judge = (value) => (typeof value === "number" ? undefined : "must be a number");
const count: Judge = (value) =>
  Number.isInteger(value) && Number(value) >= 0 ? undefined : "must be a whole number from 0";
const text: Judge = (value) => (typeof value === "string" ? undefined : "must be a text");
const object: Judge = (value) => (isObject(value) ? undefined : "must be an object");
const whatever: Judge = () => undefined;
const texts: Judge = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "string")
    ? undefined
    : "must be a list of names";
const oneOf =
  (known: readonly string[]): Judge =>
  (value) =>
    typeof value === "string" && known.includes(value)
      ? undefined
      : `must be one of ${known.join(", ")}`;

const KEYWORDS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ["$schema", text],
  ["title", text],
  ["description", text],
  ["examples", whatever],
  ["default", whatever],
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

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
