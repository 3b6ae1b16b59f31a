/**
 * Choices that an import leaves open, for example the connection of a step. A draft with open choices can be saved
 * but not deployed.
 */
import type { FieldError } from "#kernel/operation/failure.ts";
import { pointerSegments } from "#kernel/schema/json-pointer.ts";
import type { DefinitionIssues } from "../definition/index.ts";

/** Placeholder for the name of a secret that is not selected yet. */
export const OPEN_SECRET = "CHOOSE_A_SECRET";

/** Placeholder for a connector, workflow or table that is not selected yet. */
export const toOpenChoice = (id: string): string => `choose ${id}`.slice(0, 100);

/** Separates errors of open choices from errors that prevent saving a draft. */
export function separateOpenChoices(
  definition: unknown,
  { errors, warnings }: Pick<DefinitionIssues, "errors" | "warnings">,
): DefinitionIssues {
  const open: FieldError[] = [];
  const others: FieldError[] = [];
  for (const error of errors) {
    if (isOpen(valueAt(definition, error.path)))
      open.push({ path: error.path, message: "is required" });
    else others.push(error);
  }
  return { errors: others, warnings, open };
}

const isOpen = (value: unknown): boolean =>
  typeof value === "string" && (/^choose \w+:/.test(value) || value.includes(OPEN_SECRET));

function valueAt(definition: unknown, path: string): unknown {
  let value: unknown = definition;
  for (const segment of pointerSegments(path)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[segment];
  }
  return value;
}
