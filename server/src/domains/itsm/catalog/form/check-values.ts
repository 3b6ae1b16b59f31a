/** Validates the values of a form. */
import { createContext, Script } from "node:vm";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { Failure, type FieldError, invalidInput } from "#kernel/operation/failure.ts";
import { valueErrors } from "#kernel/schema/validator.ts";
import { type Form, parseForm } from "./form.ts";

const timeoutContext = createContext({ work: undefined as (() => unknown) | undefined });
const script = new Script("work()");

/** Runs work that may take for ever; undefined when it was stopped at its time limit. */
function runWithTimeout<T>(limitMs: number, work: () => T): { readonly value: T } | undefined {
  timeoutContext["work"] = work;
  try {
    // A script's timeout stops whatever the script calls, regular expressions too.
    return { value: script.runInContext(timeoutContext, { timeout: limitMs }) as T };
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    timeoutContext["work"] = undefined;
  }
}

export type FormValues = Readonly<Record<string, unknown>>;

/** Parts of the form times parts of the values; so many take about a tenth of a second. */
const COMPARISONS_MAX = 1_000_000;
/** Patterns may have many paths of matching, and there may be many texts. */
const COMPARISON_TIMEOUT_MS = 500;
const ERRORS_MAX = 50;

/** Returns the values with the form's defaults; throws a 422 with the errors of those that do not fit. */
export function validateValues(form: Form, values: FormValues): FormValues {
  const parsed = parseForm(form);
  // It was valid when it was saved.
  if ("errors" in parsed) throw new Error("A stored form is not valid.");
  assertComparable(parsed.schema, values);
  const filled = withDefaults(parsed.schema, values) as FormValues;
  // Defaults may have been added to each of many elements.
  assertComparable(parsed.schema, filled);
  // TypeBox schemas are JSON Schemas; its type only adds static types.
  const schema = parsed.schema as unknown as TSchema;
  const findErrors = (): readonly FieldError[] => {
    if (Value.Check(schema, filled)) return [];
    const errors = valueErrors(schema, filled);
    // A `false` schema reports no error of its own.
    return errors.length > 0 ? errors : [{ path: "", message: "does not fit the form" }];
  };
  const checked = hasPattern(parsed.schema)
    ? runWithTimeout(COMPARISON_TIMEOUT_MS, findErrors)
    : { value: findErrors() };
  if (!checked) {
    throw invalidValues([{ path: "", message: "takes too long to be compared with the form" }]);
  }
  if (checked.value.length > 0) throw invalidValues(checked.value.slice(0, ERRORS_MAX));
  return filled;
}

function hasPattern(schema: Form): boolean {
  return JSON.stringify(schema).includes('"pattern":');
}

function assertComparable(schema: Form, values: FormValues): void {
  if (sizeOf(schema) * sizeOf(values) <= COMPARISONS_MAX) return;
  throw invalidValues([{ path: "", message: "has too many parts to be compared with the form" }]);
}

function invalidValues(found: readonly FieldError[]): Failure {
  const errors = found.map(({ path, message }) => ({ path: `/values${path}`, message }));
  return invalidInput(errors);
}

/** Fills in the defaults of absent properties, but not those of alternatives. */
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
