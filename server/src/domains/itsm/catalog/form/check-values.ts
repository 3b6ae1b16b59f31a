/** What somebody filled into a form. */
import { createContext, Script } from "node:vm";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import { type Form, readForm } from "./form.ts";

const place = createContext({ work: undefined as (() => unknown) | undefined });
const script = new Script("work()");

/** Does something that may take for ever; undefined when it took longer than so and was stopped. */
function within<T>(limitMs: number, work: () => T): { readonly value: T } | undefined {
  place["work"] = work;
  try {
    // The watch that a script has stops whatever the script calls, regular expressions too.
    return { value: script.runInContext(place, { timeout: limitMs }) as T };
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    place["work"] = undefined;
  }
}

export type Values = Readonly<Record<string, unknown>>;

/** Parts of the form times parts of the values: about a tenth of a second. */
const COMPARISONS_MAX = 1_000_000;
/** Patterns may have many ways of matching, and there may be many texts to try them on. */
const COMPARING_MAX_MS = 500;
const FAULTS_MAX = 50;

/** The values with the form's defaults; throws a 422 with the path of each that does not fit. */
export function checkedValues(form: Form, values: Values): Values {
  const read = readForm(form);
  // It was sound when it was saved.
  if ("faults" in read) throw new Error("A form was kept that is not sound.");
  assertComparable(read.schema, values);
  const filled = withDefaults(read.schema, values) as Values;
  // Each of many items may have been given a default.
  assertComparable(read.schema, filled);
  // A JSON Schema is what TypeBox's own are; the type only remembers what it was made of.
  const schema = read.schema as unknown as TSchema;
  const compare = (): readonly FieldError[] => {
    if (Value.Check(schema, filled)) return [];
    const faults = fieldErrors(Value.Errors(schema, filled));
    // What a form forbids by `false` has no words of its own.
    return faults.length > 0 ? faults : [{ path: "", message: "does not fit the form" }];
  };
  const compared = hasPattern(read.schema)
    ? within(COMPARING_MAX_MS, compare)
    : { value: compare() };
  if (!compared) {
    throw refusal([{ path: "", message: "takes too long to be compared with the form" }]);
  }
  if (compared.value.length > 0) throw refusal(compared.value.slice(0, FAULTS_MAX));
  return filled;
}

function hasPattern(schema: Form): boolean {
  return JSON.stringify(schema).includes('"pattern":');
}

function assertComparable(schema: Form, values: Values): void {
  if (sizeOf(schema) * sizeOf(values) <= COMPARISONS_MAX) return;
  throw refusal([{ path: "", message: "has too many parts to be compared with the form" }]);
}

function refusal(faults: readonly FieldError[]): Failure {
  const errors = faults.map(({ path, message }) => ({ path: `/values${path}`, message }));
  const [first] = errors;
  return new Failure(Invalid, { detail: `${first?.path} ${first?.message}`, errors });
}

/** Fills in what is absent. Only where a form says what a property is: alternatives have no defaults. */
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
