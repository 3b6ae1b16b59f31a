/** Validates untrusted values against user-defined schemas, with bounded cost for any schema and value. */
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { FieldError } from "../operation/failure.ts";
import { jsonPointer } from "./json-pointer.ts";
import { valueErrors } from "./validator.ts";

const LEVELS_MAX = 32;
const PARTS_MAX = 2_000;
/** Schema parts times values: about a tenth of a second. */
const COMPARISONS_MAX = 1_000_000;
const ERRORS_MAX = 5;
const MESSAGE_CHARACTERS_MAX = 500;

type Schema = Readonly<Record<string, unknown>>;

/** The form of a keyword: a schema, several schemas, or a plain value. */
type Form = "schema" | "schemas" | "map" | ((value: unknown) => boolean);

const isNumber = (value: unknown): boolean => typeof value === "number";
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isTypeName = (value: unknown): boolean => TYPES.has(String(value));
const TYPES: ReadonlySet<string> = new Set(
  "string number integer boolean object array null".split(" "),
);

/**
 * The supported keywords, each of which needs one look at the value. Patterns can backtrack and references can loop.
 * Unlisted keywords must not reach the library, which supports more.
 */
const KEYWORDS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ["type", (value) => (Array.isArray(value) ? value.every(isTypeName) : isTypeName(value))],
  ["enum", Array.isArray],
  ["const", () => true],
  ["required", (value) => Array.isArray(value) && value.every((one) => typeof one === "string")],
  ["properties", "map"],
  ["additionalProperties", "schema"],
  ["minProperties", isCount],
  ["maxProperties", isCount],
  ["items", "schema"],
  ["prefixItems", "schemas"],
  ["contains", "schema"],
  ["minContains", isCount],
  ["maxContains", isCount],
  ["minItems", isCount],
  ["maxItems", isCount],
  ["minLength", isCount],
  ["maxLength", isCount],
  ["minimum", isNumber],
  ["maximum", isNumber],
  ["exclusiveMinimum", isNumber],
  ["exclusiveMaximum", isNumber],
  ["multipleOf", (value) => isNumber(value) && Number(value) > 0],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["not", "schema"],
]);

/** Unsupported JSON Schema keywords with an effect on validation. Any other unknown word is an annotation. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  (
    "pattern patternProperties propertyNames format uniqueItems $ref $dynamicRef $recursiveRef $defs definitions if then else " +
    "dependencies dependentRequired dependentSchemas additionalItems unevaluatedItems unevaluatedProperties"
  ).split(" "),
);

/** The characters of a value, or of a list to compare with, that cost as much as one more value. */
const CHARACTERS_PER_COMPARISON = 64;

const checkable = new WeakMap<object, { readonly schema: Schema; readonly size: number }>();

/** The errors of a value, worded for a model or an author. Empty if it is valid. */
export function findSchemaErrors(schema: Schema, value: unknown): string[] {
  return checkAgainst(schema, value).map(({ path, message }) =>
    path === "" && message.startsWith("The ") ? message : `${path || "the value"} ${message}`,
  );
}

/** The errors of a value with their positions. Empty if it is valid. */
export function checkAgainst(schema: Schema, value: unknown): FieldError[] {
  let known = checkable.get(schema);
  if (!known) {
    const budget = { parts: PARTS_MAX, compared: 0 };
    const made = toCheckable(schema, LEVELS_MAX, budget);
    known = { schema: made, size: PARTS_MAX - budget.parts + budget.compared };
    checkable.set(schema, known);
  }
  if (known.size * measureSize(value, COMPARISONS_MAX) > COMPARISONS_MAX) {
    return [{ path: "", message: "The value is too large to be validated." }];
  }
  // TypeBox schemas are JSON Schemas; the type only adds their origin.
  const foreign = known.schema as unknown as TSchema;
  if (Value.Check(foreign, value)) return [];
  // A list of allowed values can be as long as the schema, and the message is public.
  return valueErrors(foreign, value)
    .slice(0, ERRORS_MAX)
    .map(({ path, message }) => ({ path, message: cutMessage(message) }));
}

function cutMessage(message: string): string {
  return message.length > MESSAGE_CHARACTERS_MAX
    ? `${message.slice(0, MESSAGE_CHARACTERS_MAX)}…`
    : message;
}

/** Finds unsupported schema parts, because they would not be checked. */
export function findUncheckedKeywords(schema: unknown, at = ""): FieldError[] {
  const budget = { parts: PARTS_MAX };
  const errors = findUnchecked(schema, { at, levels: LEVELS_MAX, budget });
  if (budget.parts >= 0) return errors;
  return [{ path: at, message: `has more than ${PARTS_MAX} parts` }];
}

interface Place {
  readonly at: string;
  readonly levels: number;
  readonly budget: { parts: number };
}

function findUnchecked(schema: unknown, { at, levels, budget }: Place): FieldError[] {
  if (typeof schema === "boolean") return [];
  if (!isObject(schema)) return [{ path: at, message: "must be a JSON Schema" }];
  if (levels <= 0) return [{ path: at, message: `has more than ${LEVELS_MAX} levels of nesting` }];
  budget.parts -= 1;
  if (budget.parts < 0) return [];
  return Object.entries(schema).flatMap(([name, part]) => {
    const path = jsonPointer(at, name);
    if (LEFT_OUT.has(name)) return [{ path, message: "is a keyword that is not supported here" }];
    const form = KEYWORDS.get(name);
    if (form === undefined) return [];
    const parts = findParts(form, part);
    if (!parts) return [{ path, message: "is not a valid value for this keyword" }];
    return parts.flatMap(([key, one]) =>
      findUnchecked(one, {
        at: key === undefined ? path : jsonPointer(path, key),
        levels: levels - 1,
        budget,
      }),
    );
  });
}

/** The subschemas of a keyword by name. Undefined if it has another form. */
function findParts(form: Form, part: unknown): [string | undefined, unknown][] | undefined {
  if (typeof form === "function") return form(part) ? [] : undefined;
  if (form === "schema") return [[undefined, part]];
  if (form === "schemas" ? !Array.isArray(part) || part.length === 0 : !isObject(part)) {
    return undefined;
  }
  return Object.entries(part as object);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Budget {
  parts: number;
  /** List members and name characters that are compared with every value, in addition to schema parts. */
  compared: number;
}

/** The schema reduced to supported keywords. */
function toCheckable(value: unknown, levels: number, budget: Budget): Schema {
  if (!isObject(value) || levels <= 0 || budget.parts <= 0) return {};
  budget.parts -= 1;
  const deeper = (part: unknown): unknown =>
    typeof part === "boolean" ? part : toCheckable(part, levels - 1, budget);
  const entries = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    const form = KEYWORDS.get(name);
    if (form === undefined || !findParts(form, part)) return [];
    if (form !== "schema" && form !== "schemas") budget.compared += measureCompared(form, part);
    if (typeof form === "function") return [[name, part]];
    if (form === "schema") return [[name, deeper(part)]];
    if (form === "schemas") return [[name, (part as readonly unknown[]).map(deeper)]];
    const members = Object.entries(part as object).filter(([key]) => key !== "__proto__");
    return [[name, Object.fromEntries(members.map(([key, one]) => [key, deeper(one)]))]];
  });
  return Object.fromEntries(entries);
}

/** A list is compared member by member. The library combines all names of a map into one pattern. */
function measureCompared(form: Form, part: unknown): number {
  if (form !== "map") return measureSize(part, COMPARISONS_MAX) - 1;
  const characters = Object.keys(part as object).reduce((sum, { length }) => sum + length, 0);
  return Math.floor(characters / CHARACTERS_PER_COMPARISON);
}

/** Measures the size of a value. A long text counts more than once. */
function measureSize(value: unknown, max: number): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / CHARACTERS_PER_COMPARISON);
  if (typeof value !== "object" || value === null) return 1;
  let size = 1;
  for (const part of Object.values(value)) {
    size += measureSize(part, max - size);
    if (size > max) return size;
  }
  return size;
}
