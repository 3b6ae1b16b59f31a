import type { FieldError } from "#kernel/operation/failure.ts";
import type { Config, NodeTypes } from "../node-type.ts";

/** Checks templates and expressions. Provided by the kernel's expression engine. */
export interface ExpressionCheck {
  /** The errors of the templates in a JSON value, with pointers into the value. */
  readonly template: (value: unknown) => readonly FieldError[];
  /** The errors of one expression without braces. */
  readonly expression: (text: string) => readonly { readonly message: string }[];
  /** True if a text with templates uses secrets. */
  readonly readsSecrets: (text: string) => boolean;
  /** The names used by the templates in a JSON value, with pointers into the value. */
  readonly templateNames: (value: unknown) => readonly NamesRead[];
  /** The names used by one expression. */
  readonly expressionNames: (text: string) => Omit<NamesRead, "path">;
}

/** The names used by an expression. */
export interface NamesRead {
  readonly path: string;
  /** Paths of names that start in the scope: `["steps", "call", "output"]`. */
  readonly paths: readonly (readonly string[])[];
  /** Variables that the expression does not bind. */
  readonly variables: readonly string[];
}

/** The check of one definition: the known node types, and the errors found so far. */
export interface CheckContext {
  readonly types: NodeTypes;
  readonly expressions: ExpressionCheck;
  readonly errors: FieldError[];
  /** Findings that do not prevent saving. */
  readonly warnings: FieldError[];
  /** The trigger types, if set. */
  readonly triggerTypes: readonly unknown[];
  /** The start nodes named by triggers. */
  readonly starts: ReadonlySet<unknown>;
}

/** Adds errors with paths relative to `base`. */
export function errorReporter(
  ctx: CheckContext,
  base: string,
): (errors: readonly FieldError[]) => void {
  return (errors) => {
    for (const { path, message } of errors) ctx.errors.push({ path: base + path, message });
  };
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Config {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
