import { isDeepStrictEqual } from "node:util";
import Format from "typebox/format";
import type { FieldError } from "#kernel/operation/failure.ts";
import { type AttributeSchema, type AttributeType, isObject, type ObjectSchema } from "./schema.ts";

/** What is longer is none of these, and need not be looked at. */
const FORMATTED_CHARACTERS_MAX = 2_000;
const FAULTS_MAX = 20;

/**
 * A class's own schema upon those that it extends, the nearest last: it adds attributes, and may say
 * otherwise of one. Whether there may be others is for the last to say.
 */
export function mergedSchema(chain: readonly ObjectSchema[]): ObjectSchema {
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

/** What is wrong with the attributes of an item, each fault with its path. */
export function attributeFaults(
  schema: ObjectSchema,
  attributes: Readonly<Record<string, unknown>>,
  path: string,
): readonly FieldError[] {
  const faults: FieldError[] = [];
  check(schema, attributes, { path, faults });
  return faults.slice(0, FAULTS_MAX);
}

interface Place {
  readonly path: string;
  readonly faults: FieldError[];
}

function check(schema: AttributeSchema, value: unknown, { path, faults }: Place): void {
  const wrong = (message: string): void => void faults.push({ path, message });
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOf(type, value))) {
    wrong(`must be ${types.map((type) => WORDS[type]).join(" or ")}`);
    return;
  }
  if (schema.enum && !schema.enum.some((one) => isDeepStrictEqual(one, value))) {
    wrong(`must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`);
  }
  if (typeof value === "string") checkText(schema, value, wrong);
  else if (typeof value === "number") checkNumber(schema, value, wrong);
  else if (Array.isArray(value)) {
    checkCount(value.length, [schema.minItems, schema.maxItems, "elements"], wrong);
    const { items } = schema;
    if (!items) return;
    for (const [index, one] of value.entries()) {
      check(items, one, { path: `${path}/${index}`, faults });
    }
  } else if (isObject(value)) checkObject(schema, value, { path, faults });
}

/** The types that a schema names; none stands for all. */
export function typesOf({ type = [] }: AttributeSchema): readonly AttributeType[] {
  return typeof type === "string" ? [type] : type;
}

const WORDS: Readonly<Record<AttributeType, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function isOf(type: AttributeType, value: unknown): boolean {
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

type Wrong = (message: string) => void;

function checkText({ minLength, maxLength, format }: AttributeSchema, value: string, wrong: Wrong) {
  checkCount(value.length, [minLength, maxLength, "characters"], wrong);
  if (format === undefined) return;
  const isLong = value.length > FORMATTED_CHARACTERS_MAX;
  if (isLong || !Format.Test(format, value)) wrong(`does not have the form of ${format}`);
}

function checkNumber({ minimum, maximum }: AttributeSchema, value: number, wrong: Wrong): void {
  if (minimum !== undefined && value < minimum) wrong(`must be at least ${minimum}`);
  if (maximum !== undefined && value > maximum) wrong(`must be at most ${maximum}`);
}

function checkCount(
  count: number,
  [least, most, what]: readonly [number | undefined, number | undefined, string],
  wrong: Wrong,
): void {
  if (least !== undefined && count < least) wrong(`must have at least ${least} ${what}`);
  if (most !== undefined && count > most) wrong(`must have at most ${most} ${what}`);
}

function checkObject(
  { properties = {}, required = [], additionalProperties = true }: AttributeSchema,
  value: Readonly<Record<string, unknown>>,
  { path, faults }: Place,
): void {
  for (const name of required) {
    if (!Object.hasOwn(value, name)) {
      faults.push({ path: `${path}/${name}`, message: "is required" });
    }
  }
  for (const [name, part] of Object.entries(value)) {
    const at = `${path}/${name}`;
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema) check(schema, part, { path: at, faults });
    else if (!additionalProperties) {
      faults.push({ path: at, message: "is not an attribute of this class" });
    }
  }
}
