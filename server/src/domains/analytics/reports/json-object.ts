import { isDeepStrictEqual } from "node:util";
import { invalidField } from "#kernel/operation/failure.ts";
import { sizeProblem, toStorableJson } from "#kernel/schema/json-value.ts";

/** An object that a query parameter has as JSON. */
export function parseJsonObject(json: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    // No row holds a value that PostgreSQL can't store.
    if (
      isObject &&
      sizeProblem(value) === undefined &&
      isDeepStrictEqual(toStorableJson(value), value)
    ) {
      return value as Readonly<Record<string, unknown>>;
    }
  } catch {
    // Rejected below.
  }
  throw invalidField(path, "must be an object in JSON");
}
