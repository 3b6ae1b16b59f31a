import type { PrunedSchema } from "../openapi/discovered-action.ts";

/** A parsed input field of a preset. */
export interface InputField {
  readonly schema: PrunedSchema;
  readonly isRequired: boolean;
}

const FORM =
  /^(?<type>[\w.|:*-]+)(?<list>\[\])?(?<required>!)?(?:=(?<default>\S+))?(?: (?<about>.+))?$/;

const TYPES: Readonly<Record<string, PrunedSchema>> = {
  string: { type: "string" },
  text: { type: "string", format: "multiline" },
  time: { type: "string", format: "date-time" },
  date: { type: "string", format: "date" },
  url: { type: "string", format: "uri" },
  email: { type: "string", format: "email" },
  integer: { type: "integer" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  object: { type: "object" },
  any: {},
  rows: { type: "array", items: { type: "array", items: {} } },
};

/**
 * Parses the short form of a field in presets: a type or `a|b` for a choice, `[]` for a list, `!` for required, `=`
 * and a default, then the description: `string! The repository's name`.
 */
export function parseInputField(text: string): InputField {
  const groups = FORM.exec(text)?.groups;
  if (!groups) throw new Error(`No input of an action: ${text}`);
  const { type = "", list, required, default: value, about } = groups;
  const single = type.includes("|") ? { type: "string", enum: type.split("|") } : TYPES[type];
  if (!single) throw new Error(`No type of an input: ${type}`);
  const schema = list === undefined ? single : { type: "array", items: single };
  return {
    schema: {
      ...schema,
      ...(about !== undefined && { description: about }),
      ...(value !== undefined && { default: parseDefault(single["type"], value) }),
    },
    isRequired: required !== undefined,
  };
}

/** The JSON Schema of the inputs of a trigger. */
export function inputSchemaOf(input: Readonly<Record<string, string>>) {
  const fields = Object.entries(input).map(([name, text]) => ({ name, ...parseInputField(text) }));
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function parseDefault(type: unknown, value: string): unknown {
  return type === "string" ? value : JSON.parse(value);
}
