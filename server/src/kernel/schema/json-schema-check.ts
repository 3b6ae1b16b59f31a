/** The check of values that others wrote against schemas that people wrote: bounded, whatever either says. */
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { FieldError } from "../operation/failure.ts";
import { jsonPointer } from "./json-pointer.ts";
import { valueErrors } from "./validator.ts";

const LEVELS_MAX = 32;
const PARTS_MAX = 2_000;
/** Parts of the schema times values: about a tenth of a second. */
const COMPARISONS_MAX = 1_000_000;
const ERRORS_MAX = 5;

type Schema = Readonly<Record<string, unknown>>;

/** Keywords that mean more than a look at the value: a pattern may backtrack, a reference go on for ever. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "pattern",
  "patternProperties",
  "format",
  "$ref",
  "$defs",
  "definitions",
  "$schema",
  "$id",
  "uniqueItems",
  "propertyNames",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "unevaluatedProperties",
]);
const SCHEMA_MAPS: ReadonlySet<string> = new Set(["properties"]);
const SCHEMA_LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const SCHEMAS: ReadonlySet<string> = new Set(["items", "additionalProperties", "not", "contains"]);

const checkable = new WeakMap<object, { readonly schema: Schema; readonly size: number }>();

/** The errors of a value, in words for a model or an author; none when it fits. */
export function findSchemaErrors(schema: Schema, value: unknown): string[] {
  return checkAgainst(schema, value).map(({ path, message }) =>
    path === "" && message.startsWith("The ") ? message : `${path || "the value"} ${message}`,
  );
}

/** The errors of a value, with their places in it; none when it fits. */
export function checkAgainst(schema: Schema, value: unknown): FieldError[] {
  let known = checkable.get(schema);
  if (!known) {
    const budget = { parts: PARTS_MAX };
    known = { schema: toCheckable(schema, LEVELS_MAX, budget), size: PARTS_MAX - budget.parts };
    checkable.set(schema, known);
  }
  if (known.size * measureSize(value, COMPARISONS_MAX) > COMPARISONS_MAX) {
    return [{ path: "", message: "The value is too large to be checked." }];
  }
  // A JSON Schema is what TypeBox's own are; the type only remembers what it was made of.
  const foreign = known.schema as unknown as TSchema;
  if (Value.Check(foreign, value)) return [];
  return valueErrors(foreign, value).slice(0, ERRORS_MAX);
}

/** Of annotations, which say nothing about a value. */
const HARMLESS: ReadonlySet<string> = new Set(["$schema", "$id"]);

/** The keywords of a schema that are not checked, so that nobody relies on them. */
export function findUncheckedKeywords(schema: unknown, at = "", levels = LEVELS_MAX): FieldError[] {
  if (typeof schema === "boolean") return [];
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    return [{ path: at, message: "must be a JSON Schema" }];
  }
  if (levels <= 0) return [{ path: at, message: `is deeper than ${LEVELS_MAX} levels` }];
  return Object.entries(schema).flatMap(([name, part]) => {
    const path = jsonPointer(at, name);
    if (LEFT_OUT.has(name)) {
      return HARMLESS.has(name) ? [] : [{ path, message: "is a keyword that is not checked here" }];
    }
    if (SCHEMA_MAPS.has(name)) {
      return Object.entries(Object(part) as object).flatMap(([key, one]) =>
        findUncheckedKeywords(one, jsonPointer(path, key), levels - 1),
      );
    }
    if (SCHEMA_LISTS.has(name) && Array.isArray(part)) {
      return part.flatMap((one, index) =>
        findUncheckedKeywords(one, `${path}/${index}`, levels - 1),
      );
    }
    return SCHEMAS.has(name) ? findUncheckedKeywords(part, path, levels - 1) : [];
  });
}

function toCheckable(value: unknown, levels: number, budget: { parts: number }): Schema {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  if (levels <= 0 || budget.parts <= 0) return {};
  budget.parts -= 1;
  const deeper = (part: unknown): unknown =>
    typeof part === "boolean" ? part : toCheckable(part, levels - 1, budget);
  const entries = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    if (LEFT_OUT.has(name) || name === "__proto__") return [];
    if (SCHEMA_MAPS.has(name)) {
      const members = Object.entries(Object(part) as object).filter(([key]) => key !== "__proto__");
      return [[name, Object.fromEntries(members.map(([key, one]) => [key, deeper(one)]))]];
    }
    if (SCHEMA_LISTS.has(name)) return Array.isArray(part) ? [[name, part.map(deeper)]] : [];
    if (SCHEMAS.has(name)) return [[name, Array.isArray(part) ? {} : deeper(part)]];
    return [[name, part]];
  });
  return Object.fromEntries(entries);
}

function measureSize(value: unknown, max: number): number {
  if (typeof value !== "object" || value === null) return 1;
  let size = 1;
  for (const part of Object.values(value)) {
    size += measureSize(part, max - size);
    if (size > max) return size;
  }
  return size;
}
