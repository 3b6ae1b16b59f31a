import type { FieldError } from "#kernel/operation/failure.ts";
import type { Config, NodeTypes } from "../node-type.ts";

/** How the language of templates and expressions is checked; the kernel's engine provides it. */
export interface ExpressionCheck {
  /** What is wrong with the templates in a JSON value, with pointers into the value. */
  readonly template: (value: unknown) => readonly FieldError[];
  /** What is wrong with one expression that has no braces around it. */
  readonly expression: (text: string) => readonly { readonly message: string }[];
  /** Whether a text with templates in it reads secrets. */
  readonly readsSecrets: (text: string) => boolean;
}

/** One definition being checked: what it may refer to, and what was found so far. */
export interface CheckContext {
  readonly types: NodeTypes;
  readonly expressions: ExpressionCheck;
  readonly faults: FieldError[];
  nodes: number;
  edges: number;
}

/** Adds faults whose paths start at `base`. */
export function errorReporter(
  checking: CheckContext,
  base: string,
): (faults: readonly FieldError[]) => void {
  return (faults) => {
    for (const { path, message } of faults) checking.faults.push({ path: base + path, message });
  };
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Config {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
