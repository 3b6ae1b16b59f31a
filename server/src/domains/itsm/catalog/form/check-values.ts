/** Validates the values of a form. The author of the form influences the duration, see `validate-values.ts`. */
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { FieldError } from "#kernel/operation/failure.ts";
import { valueErrors } from "#kernel/schema/validator.ts";
import { type Form, parseForm } from "./form.ts";
import { findHiddenFields, withoutRequired } from "./hidden-fields.ts";

export type FormValues = Readonly<Record<string, unknown>>;

/** The values with form defaults, or validation errors. */
export type CheckedValues =
  | { readonly values: FormValues }
  | { readonly errors: readonly FieldError[] };

/** Limit of form parts times value parts; takes about 0.1 seconds. */
const COMPARISONS_MAX = 1_000_000;
const ERRORS_MAX = 50;
/** Maximum depth of conditions: a hidden field can hide further fields. */
const CHAINED_CONDITIONS_MAX = 10;

/** Validates values with a form that was valid when saved. */
export function checkValues(form: Form, values: FormValues): CheckedValues {
  const parsed = parseForm(form);
  if ("errors" in parsed) throw new Error("A stored form is not valid.");
  const tooMany = {
    errors: [{ path: "", message: "has too many parts to be validated" }],
  };
  if (countComparisons(parsed.schema, values) > COMPARISONS_MAX) return tooMany;
  const { filled, hidden } = fillForm(parsed.schema, values);
  // Defaults may have been added to each of many list items.
  if (countComparisons(parsed.schema, filled) > COMPARISONS_MAX) return tooMany;
  // TypeBox schemas are JSON Schemas; the cast only adds static types.
  const schema = withoutRequired(parsed.schema, hidden) as unknown as TSchema;
  if (Value.Check(schema, filled)) return { values: filled };
  const errors = valueErrors(schema, filled);
  // A `false` schema reports no error itself.
  if (errors.length === 0) return { errors: [{ path: "", message: "does not match the form" }] };
  return { errors: errors.slice(0, ERRORS_MAX) };
}

/**
 * The values with the defaults of all visible fields. A default can affect a condition, so defaults are added first.
 * Defaults of hidden fields are removed again, which can hide further fields.
 */
function fillForm(schema: Form, values: FormValues) {
  let filled = withDefaults(schema, values) as FormValues;
  let hidden = findHiddenFields(schema, filled);
  for (let n = 0; n < CHAINED_CONDITIONS_MAX; n += 1) {
    const stays = (name: string) => !hidden.has(name) || Object.hasOwn(values, name);
    const kept = Object.entries(filled).filter(([name]) => stays(name));
    if (kept.length === Object.keys(filled).length) break;
    filled = Object.fromEntries(kept);
    hidden = findHiddenFields(schema, filled);
  }
  return { filled, hidden };
}

/** The number of form parts times the number of value parts. */
export function countComparisons(schema: Form, values: FormValues): number {
  return sizeOf(schema) * sizeOf(values);
}

/** Adds defaults of missing properties, except in alternatives. */
function withDefaults(schema: unknown, value: unknown): unknown {
  if (!isMap(schema)) return value;
  const { properties, items } = schema;
  if (Array.isArray(value)) return value.map((item) => withDefaults(items, item));
  if (!isMap(value) || !isMap(properties)) return value;
  const filled = new Map(Object.entries(value));
  for (const [name, property] of Object.entries(properties)) {
    if (filled.has(name)) filled.set(name, withDefaults(property, filled.get(name)));
    else if (isMap(property) && "default" in property) {
      filled.set(name, withDefaults(property, property["default"]));
    }
  }
  return Object.fromEntries(filled);
}

function isMap(value: unknown): value is Form {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + sizeOf(part), 1);
}
