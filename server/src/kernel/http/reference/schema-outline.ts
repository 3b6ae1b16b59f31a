import type { TSchema } from "typebox";
import { Markup, markup } from "../../html/markup.ts";

const DEPTH_MAX = 5;

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

/** The fields of an object with types, limits and nested fields. */
export function outlineFields(schema: TSchema | undefined, depth = 1): Markup | undefined {
  const { properties = {}, required = [] } = innerObject(schema as JsonSchema | undefined);
  const fields = Object.entries(properties);
  if (fields.length === 0 || depth > DEPTH_MAX) return undefined;
  return markup`<ul class="fields">${fields.map(
    ([name, field]) =>
      markup`<li><code>${name}</code> <span class="faint">${describeType(field)}${required.includes(name) && ", required"}</span>${
        field.description !== undefined && markup` ${renderInline(field.description)}`
      }${outlineFields(field as TSchema, depth + 1)}</li>`,
  )}</ul>`;
}

/** Renders a text with `code`. */
export function renderInline(text: string): Markup {
  const parts = text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`));
  return new Markup(parts.map((part) => part.text).join(""));
}

/** The object schema, also if it is inside a list or an alternative. */
function innerObject(schema: JsonSchema | undefined): JsonSchema {
  if (!schema) return {};
  if (schema.items) return innerObject(schema.items);
  const parts = schema.anyOf ?? schema.oneOf;
  return parts?.map(innerObject).find(({ properties }) => properties) ?? schema;
}

function describeType(schema: JsonSchema): string {
  const limits = [
    schema.minimum !== undefined && `from ${schema.minimum}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.pattern !== undefined && `like ${schema.pattern}`,
    schema.default !== undefined && `default: ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
  return [describeKind(schema), ...limits].join(", ");
}

function describeKind(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return [...new Set(parts.map(describeKind))].join(" or ");
  if (schema.items) return `list of ${describeKind(schema.items)}`;
  if (typeof schema.type === "string") return schema.type;
  return schema.type?.join(" or ") ?? "anything";
}
