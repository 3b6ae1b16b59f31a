import { isDeepStrictEqual } from "node:util";
import Format from "typebox/format";
import type { FieldError } from "#kernel/operation/failure.ts";
import { type AttributeSchema, type AttributeType, isObject, type ObjectSchema } from "./schema.ts";

/** A longer text cannot match a format and is not tested. */
const FORMATTED_CHARACTERS_MAX = 2_000;
const ERRORS_MAX = 20;

/**
 * Merges a class schema with its base classes. The class can add or redefine attributes and decides if
 * additional ones are allowed.
 */
export function mergeSchemas(chain: readonly ObjectSchema[]): ObjectSchema {
  const last = chain.at(-1);
  return {
    type: "object",
    properties: Object.fromEntries(
      chain.flatMap(({ properties = {} }) => Object.entries(properties)),
    ),
    required: [...new Set(chain.flatMap(({ required = [] }) => required))],
    additionalProperties: last?.additionalProperties ?? true,
  };
}

export function attributeErrors(
  schema: ObjectSchema,
  attributes: Readonly<Record<string, unknown>>,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  check(schema, attributes, { path, errors });
  return errors.slice(0, ERRORS_MAX);
}

interface CheckPosition {
  readonly path: string;
  readonly errors: FieldError[];
}

function check(schema: AttributeSchema, value: unknown, { path, errors }: CheckPosition): void {
  const addError = (message: string): void => void errors.push({ path, message });
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => hasType(type, value))) {
    addError(`must be ${types.map((type) => TYPE_NAMES[type]).join(" or ")}`);
    return;
  }
  if (schema.enum && !schema.enum.some((allowed) => isDeepStrictEqual(allowed, value))) {
    addError(`must be one of ${schema.enum.map((allowed) => JSON.stringify(allowed)).join(", ")}`);
  }
  if (typeof value === "string") checkText(schema, value, addError);
  else if (typeof value === "number") checkNumber(schema, value, addError);
  else if (Array.isArray(value)) {
    checkCount(value.length, [schema.minItems, schema.maxItems, "elements"], addError);
    const { items } = schema;
    if (!items) return;
    for (const [index, element] of value.entries()) {
      check(items, element, { path: `${path}/${index}`, errors });
    }
  } else if (isObject(value)) checkObject(schema, value, { path, errors });
}

/** The types allowed by a schema; an empty list means all. */
export function typesOf({ type = [] }: AttributeSchema): readonly AttributeType[] {
  return typeof type === "string" ? [type] : type;
}

const TYPE_NAMES: Readonly<Record<AttributeType, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function hasType(type: AttributeType, value: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "null":
      return value === null;
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
  }
}

type AddError = (message: string) => void;

function checkText(
  { minLength, maxLength, format }: AttributeSchema,
  value: string,
  addError: AddError,
) {
  checkCount(value.length, [minLength, maxLength, "characters"], addError);
  if (format === undefined) return;
  const isLong = value.length > FORMATTED_CHARACTERS_MAX;
  if (isLong || !Format.Test(format, value)) addError(`is not a valid ${format}`);
}

function checkNumber(
  { minimum, maximum }: AttributeSchema,
  value: number,
  addError: AddError,
): void {
  if (minimum !== undefined && value < minimum) addError(`must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) addError(`must be at most ${maximum}`);
}

function checkCount(
  count: number,
  [least, most, unit]: readonly [number | undefined, number | undefined, string],
  addError: AddError,
): void {
  if (least !== undefined && count < least) addError(`must have at least ${least} ${unit}`);
  if (most !== undefined && count > most) addError(`must have at most ${most} ${unit}`);
}

function checkObject(
  { properties = {}, required = [], additionalProperties = true }: AttributeSchema,
  value: Readonly<Record<string, unknown>>,
  { path, errors }: CheckPosition,
): void {
  for (const name of required) {
    if (!Object.hasOwn(value, name)) {
      errors.push({ path: `${path}/${name}`, message: "is required" });
    }
  }
  for (const [name, part] of Object.entries(value)) {
    const at = `${path}/${name}`;
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema) check(schema, part, { path: at, errors });
    else if (!additionalProperties) {
      errors.push({ path: at, message: "is not an attribute of this class" });
    }
  }
}
