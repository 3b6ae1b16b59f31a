/**
 * Form fields hidden by a condition: `then` or `else` sets them to `false`. Users cannot fill them in, so they are
 * neither required nor get a default.
 */
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { Form } from "./form.ts";

/** The names of fields hidden for these values, before defaults of hidden fields are added. */
export function findHiddenFields(schema: Form, values: unknown): ReadonlySet<string> {
  const hidden = new Set<string>();
  collectHidden(schema, values, hidden);
  return hidden;
}

/** The names of fields that a condition can hide. */
export function findConditionalFields(schema: unknown): ReadonlySet<string> {
  if (!isMap(schema)) return new Set();
  const { allOf, then, else: otherwise } = schema;
  const names = [then, otherwise].flatMap((branch) => [
    ...forbiddenFields(branch),
    ...findConditionalFields(branch),
  ]);
  const parts = Array.isArray(allOf) ? allOf : [];
  return new Set([...names, ...parts.flatMap((part) => [...findConditionalFields(part)])]);
}

function collectHidden(schema: unknown, values: unknown, hidden: Set<string>): void {
  if (!isMap(schema)) return;
  const { allOf, if: condition, then, else: otherwise } = schema;
  if (Array.isArray(allOf)) for (const part of allOf) collectHidden(part, values, hidden);
  if (condition === undefined) return;
  // TypeBox schemas are JSON Schemas; the cast only adds static types.
  const branch = Value.Check(condition as TSchema, values) ? then : otherwise;
  for (const name of forbiddenFields(branch)) hidden.add(name);
  collectHidden(branch, values, hidden);
}

function forbiddenFields(branch: unknown): string[] {
  const properties = isMap(branch) && isMap(branch["properties"]) ? branch["properties"] : {};
  return Object.keys(properties).filter((name) => properties[name] === false);
}

/** Makes these fields optional, also in conditional branches. */
export function withoutRequired(schema: Form, names: ReadonlySet<string>): Form {
  if (names.size === 0) return schema;
  const strip = (part: unknown): unknown => (isMap(part) ? withoutRequired(part, names) : part);
  const { required, allOf, then, else: otherwise } = schema;
  return {
    ...schema,
    ...(Array.isArray(required) && {
      required: required.filter((name) => !names.has(String(name))),
    }),
    ...(Array.isArray(allOf) && { allOf: allOf.map(strip) }),
    // oxlint-disable-next-line unicorn/no-thenable -- the word of JSON Schema
    ...(then !== undefined && { then: strip(then) }),
    ...(otherwise !== undefined && { else: strip(otherwise) }),
  };
}

function isMap(value: unknown): value is Form {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
