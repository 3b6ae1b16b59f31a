/** Describes the place of a problem; the server reports a JSON pointer. */
import { labelOf } from "../../form/index.ts";
import { type Definition, findStep, idOf } from "./graph.ts";
import { TRIGGER } from "./layout.ts";
import type { Problem } from "./problems.ts";

/** Returns the name of the step or trigger, or the workflow as a whole. */
export function placeOfProblem(definition: Definition, key: string | undefined): string {
  if (key === undefined) return definition.name;
  return key === TRIGGER ? "Trigger" : (findStep(definition, key)?.name ?? idOf(key));
}

/** Converts `config/approvers/0` to `Approvers 1`; empty for the step itself. */
export function fieldWords(field: string): string {
  const parts = field.split("/").filter((part) => part !== "" && part !== "config");
  return parts
    .map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : labelOf(part)))
    .join(" ");
}

/** Formats a problem: `Step “Ask an owner”, Approvers 1: …`. */
export function describeProblem(definition: Definition, { key, field, message }: Problem): string {
  const name = placeOfProblem(definition, key);
  const place = key === undefined || key === TRIGGER ? name : `Step “${name}”`;
  return `${[place, fieldWords(field)].filter(Boolean).join(", ")}: ${message}`;
}
