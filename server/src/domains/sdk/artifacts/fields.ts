/** Inputs and outputs of artifacts: maps from field names to their types. */
import Type, { type Static } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, object, text } from "#kernel/schema/schema.ts";

const FIELDS_MAX = 200;

const FIELD_TYPES = [
  "string",
  "number",
  "integer",
  "boolean",
  "timestamp",
  "date",
  "enum",
  "object",
  "array",
  "any",
] as const;

export const Field = object(
  {
    type: Type.Enum([...FIELD_TYPES]),
    required: Type.Optional(Type.Boolean({ default: false })),
    values: Type.Optional(
      Type.Array(line(200), { minItems: 1, maxItems: 200, description: "Values of an `enum`" }),
    ),
    description: Type.Optional(text(2_000)),
  },
  { title: "ArtifactField" },
);
export type Field = Static<typeof Field>;

export const Fields = Type.Record(Type.String(), Field, { maxProperties: FIELDS_MAX });
export type Fields = Readonly<Record<string, Field>>;

const DATE = /^\d{4}-\d\d-\d\d$/;

/** Type checks by field type. */
const TYPE_CHECKS: Readonly<Record<Field["type"], (value: unknown, field: Field) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  timestamp: (value) =>
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT/.test(value) &&
    !Number.isNaN(Date.parse(value)),
  date: (value) =>
    typeof value === "string" && DATE.test(value) && !Number.isNaN(Date.parse(value)),
  enum: (value, { values = [] }) => typeof value === "string" && values.includes(value),
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  any: () => true,
};

/** Field errors of a payload. Unknown fields are accepted. */
export function checkPayload(fields: Fields, payload: unknown, basePath: string): FieldError[] {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    return Object.keys(fields).length === 0
      ? []
      : [{ path: basePath, message: "must be an object" }];
  }
  const values = new Map<string, unknown>(Object.entries(payload));
  return Object.entries(fields).flatMap(([name, field]) => {
    const value = values.get(name) ?? null;
    const path = `${basePath}/${name}`;
    if (value === null) return field.required ? [{ path, message: "is required" }] : [];
    return TYPE_CHECKS[field.type](value, field) ? [] : [{ path, message: typeMessage(field) }];
  });
}

function typeMessage({ type, values = [] }: Field): string {
  return type === "enum" ? `must be one of ${values.join(", ")}` : `must be of type ${type}`;
}

const TIME = { type: "string", format: "date-time" };

/** The JSON Schema of each field type. An `enum` also has its values. */
const TYPE_SCHEMAS: Readonly<Record<Field["type"], object>> = {
  string: { type: "string" },
  number: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  timestamp: TIME,
  date: { type: "string", format: "date" },
  enum: { type: "string" },
  object: { type: "object" },
  array: { type: "array" },
  any: {},
};

/** The JSON Schema of an object with these fields, for forms. */
export function fieldsSchema(fields: Fields | null | undefined) {
  const entries = Object.entries(fields ?? {});
  const properties = entries.map(([name, { type, values, description }]) => {
    const words = {
      ...(description !== undefined && { description }),
      ...(values && { enum: values }),
    };
    return [name, { ...TYPE_SCHEMAS[type], ...words }] as const;
  });
  const required = entries.filter(([, field]) => field.required).map(([name]) => name);
  return Type.Unsafe<unknown>({
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    "x-order": entries.map(([name]) => name),
  });
}
