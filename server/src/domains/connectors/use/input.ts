import type { TObject } from "typebox";
import { Value } from "typebox/value";
import type { Fault } from "#kernel/operation/failure.ts";
import { faultsOf, Shape } from "#kernel/schema/validator.ts";
import { assertNoFaults } from "../fault.ts";
import type { CutSchema } from "../openapi/discovered-action.ts";

const shapes = new WeakMap<TObject, Shape>();

/** An input with its defaults, checked against a schema of ours. */
export function checkInput(schema: TObject, input: unknown): unknown {
  let shape = shapes.get(schema);
  if (!shape) shapes.set(schema, (shape = new Shape(schema, "body")));
  const result = shape.check(input);
  if ("value" in result) return result.value;
  refuse(result.faults);
  return input;
}

/** Parts of the schema times values of the input: about a tenth of a second. */
const COMPARISONS_MAX = 1_000_000;

/**
 * An input checked against a schema that came from outside. It is not compiled: nothing that a
 * stranger wrote becomes code here. What would take too long to compare is left to the other system.
 */
export function checkInputOutside(schema: CutSchema, input: unknown): void {
  if (sizeOf(schema) * sizeOf(input) > COMPARISONS_MAX) return;
  // A JSON Schema is what TypeBox's own are; the type only remembers what it was made of.
  const foreign = schema as unknown as TObject;
  if (!Value.Check(foreign, input)) refuse(faultsOf(Value.Errors(foreign, input)));
}

function refuse(faults: readonly Fault[]): void {
  assertNoFaults(faults.map(({ path, message }) => ({ path: `/input${path}`, message })));
}

function sizeOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + sizeOf(part), 1);
}
