/**
 * Choices that an import leaves open, such as the connection of a step. A draft can be saved with them; it can't be
 * deployed until each of them is made.
 */
import type { FieldError } from "#kernel/operation/failure.ts";
import { pointerSegments } from "#kernel/schema/json-pointer.ts";
import type { DefinitionIssues } from "../definition/index.ts";

/** The name of a secret that is not chosen yet, where a name is needed. */
export const OPEN_SECRET = "CHOOSE_A_SECRET";

/** The text in the place of a connector, workflow or table that is not chosen yet. */
export const toOpenChoice = (id: string): string => `choose ${id}`.slice(0, 100);

/** Separates errors whose field holds an open choice from those that keep a draft from being saved. */
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
