/**
 * Templates in node configurations.
 *
 * A node type declares the configuration of its executor. In a definition any value can instead be a template, a text
 * with `{{ expression }}`. It is replaced by its value when the step runs, so a number field also accepts `"{{
 * trigger.input.amount }}"`. Fields are exceptions if they are declared so: a `literal` field is used unchanged,
 * because the graph depends on it or because it contains another language; an `expression` field is one expression.
 */
import Type, { type Static, type TObject, type TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Value } from "typebox/value";
import type { FieldError } from "#kernel/operation/failure.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";

export const EXPRESSION_CHARACTERS_MAX = 10_000;

/** True for a text with `{{ }}`, which is evaluated before use. */
export function isTemplate(value: unknown): boolean {
  return typeof value === "string" && value.includes("{{");
}

/** A field in which braces have no meaning. */
export function literalSchema<S extends TSchema>(schema: S) {
  return Type.Unsafe<Static<S>>({ ...schema, [LITERAL]: true });
}

/** An expression field, with optional braces. */
export function expression(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: EXPRESSION_CHARACTERS_MAX,
    description,
    [LITERAL]: true,
    [EXPRESSION]: true,
  });
}

/** A schema in which every value can be a template, for forms and documentation. */
export function templateSchema(schema: TSchema): TSchema {
  return allowTemplates(schema);
}

/** Validates a value in which every non-literal part can be a template. */
export function templateConfigErrors(schema: TObject, value: unknown): FieldError[] {
  let accepts = compiledSchemas.get(schema);
  if (accepts === undefined)
    compiledSchemas.set(schema, (accepts = Compile(templateSchema(schema))));
  if (accepts.Check(value)) return [];
  return fieldErrors(Value.Errors(narrowToValue(schema, value), value));
}

// Compiled for speed: most values are valid, and finding errors is much slower.
const compiledSchemas = new WeakMap<TObject, ReturnType<typeof Compile>>();

/** Splits a configuration into fields with templates, expression fields without braces, and the rest. */
export function splitConfig(schema: TObject, config: Readonly<Record<string, unknown>>) {
  const templates: Record<string, unknown> = {};
  const expressions: Record<string, string> = {};
  const literals: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(config)) {
    const field = schema.properties[name];
    if (field === undefined || !(LITERAL in field)) templates[name] = value;
    else if (EXPRESSION in field && typeof value === "string")
      expressions[name] = stripBraces(value);
    else literals[name] = value;
  }
  return { templates, expressions, literals };
}

function stripBraces(text: string): string {
  return /^\s*\{\{([\s\S]*)\}\}\s*$/.exec(text)?.[1] ?? text;
}

// Published with the schemas, so that forms offer no template input for such fields.
const LITERAL = "x-literal";
const EXPRESSION = "x-expression";
// Applies to nested values too.
const TEMPLATE = "x-template";

const Template = Type.String({
  title: "Template",
  pattern: "\\{\\{",
  description: "`{{ expression }}`, evaluated when the step runs",
});

/** The JSON Schema keywords used in configurations. */
interface Keywords {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
}

function allowTemplates(schema: TSchema): TSchema {
  const { properties, patternProperties, items }: Keywords = schema;
  return Type.Unsafe<unknown>({
    ...schema,
    ...(properties && { properties: mapValues(properties, orTemplate) }),
    ...(patternProperties && { patternProperties: mapValues(patternProperties, orTemplate) }),
    ...(items && { items: orTemplate(items) }),
  });
}

function orTemplate(schema: TSchema): TSchema {
  if (LITERAL in schema) return schema;
  const acceptsAnything = !("type" in schema || "enum" in schema || "anyOf" in schema);
  if (acceptsAnything) return Type.Unsafe({ ...schema, [TEMPLATE]: true });
  // Annotations move to the field itself, because forms do not read them inside a union.
  const words = Object.entries(schema).filter(([name]) => isAnnotation(name));
  const union = Type.Union([allowTemplates(schema), Template]);
  return Type.Unsafe({ ...union, ...Object.fromEntries(words), [TEMPLATE]: true });
}

function isAnnotation(keyword: string): boolean {
  return keyword.startsWith("x-") || ANNOTATIONS.has(keyword);
}

const ANNOTATIONS: ReadonlySet<string> = new Set(["title", "description", "default", "examples"]);

/**
 * Narrows the schema to one value: a template is always valid. A union with the template would report the errors of
 * both alternatives.
 */
function narrowToValue(schema: TSchema, value: unknown): TSchema {
  if (LITERAL in schema) return schema;
  if (isTemplate(value)) return Type.Unknown();
  if (typeof value !== "object" || value === null) return schema;
  const { properties, patternProperties, items, ...rest }: Keywords = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return schema;
    return Type.Unsafe({
      ...rest,
      prefixItems: value.map((member) => narrowToValue(items, member)),
    });
  }
  const [others] = Object.values(patternProperties ?? {});
  const known = Object.entries(value).flatMap(([name, member]): [string, TSchema][] => {
    const field = properties && Object.hasOwn(properties, name) ? properties[name] : others;
    return field === undefined ? [] : [[name, narrowToValue(field, member)]];
  });
  return Type.Unsafe({ ...rest, properties: Object.fromEntries(known) });
}

function mapValues<T, U>(from: Readonly<Record<string, T>>, map: (value: T) => U) {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]));
}
