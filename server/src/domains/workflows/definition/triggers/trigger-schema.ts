import Type, { type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { checkAgainst, findUncheckedKeywords } from "#kernel/schema/json-schema-check.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { NODE_ID } from "../node-id.ts";

const TRIGGER_ID = "^[a-z][a-z0-9_-]{0,39}$";
const STARTS_MAX = 50;

/** The fields of every trigger type. */
export const commonFields = {
  id: Type.Optional(
    Type.String({
      pattern: TRIGGER_ID,
      description:
        "Unique id of the trigger in the workflow. Default for the first trigger: `trigger`",
    }),
  ),
  name: Type.Optional(line(100, "Display name")),
  start: Type.Optional(
    Type.Array(Type.String({ pattern: NODE_ID }), {
      minItems: 1,
      maxItems: STARTS_MAX,
      uniqueItems: true,
      description: "The nodes where its runs start. Default: nodes without incoming edges",
    }),
  ),
  inputSchema: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        "JSON Schema of `trigger.input` or the request body. Callers with invalid input get 422",
    }),
  ),
};

/** The form metadata of advanced fields. */
export const commonForm = {
  inputSchema: {
    title: "Input schema",
    example: {
      type: "object",
      required: ["orderId"],
      properties: { orderId: { type: "string" } },
    },
  },
};

const SCHEMA_CHARACTERS_MAX = 100_000;

/** Checks that the input schema uses only supported keywords. */
export function checkInputSchema(schema: unknown): FieldError[] {
  if (schema === undefined) return [];
  if (JSON.stringify(schema).length > SCHEMA_CHARACTERS_MAX) {
    return [{ path: "/inputSchema", message: `has more than ${SCHEMA_CHARACTERS_MAX} characters` }];
  }
  return findUncheckedKeywords(schema, "/inputSchema");
}

/** Validates the input of a run. Paths are relative to `trigger.input`. */
export function findInputErrors(
  { type, inputSchema }: { readonly type: string; readonly inputSchema?: object | undefined },
  input: unknown,
): FieldError[] {
  if (inputSchema === undefined) return [];
  const schema = inputSchema as Readonly<Record<string, unknown>>;
  // Callers do not choose all headers of a webhook request, so the schema applies to the body only.
  if (type !== "webhook") return checkAgainst(schema, input ?? null);
  const { body = null } = Object(input) as { readonly body?: unknown };
  return checkAgainst(schema, body).map((one) => ({ ...one, path: `/body${one.path}` }));
}

export function triggerSchema<K extends string, P extends Record<string, TSchema>>(
  type: K,
  fields: P,
) {
  return object({ type: Type.Literal(type), ...commonFields, ...fields });
}
