import type { FieldError } from "#kernel/operation/failure.ts";
import type { Config, NodeTypes } from "../node-type.ts";

/** Checks templates and expressions; the kernel's expression engine provides it. */
export interface ExpressionCheck {
  /** The errors of the templates in a JSON value, with pointers into the value. */
  readonly template: (value: unknown) => readonly FieldError[];
  /** The errors of one expression without braces. */
  readonly expression: (text: string) => readonly { readonly message: string }[];
  /** True when a text with templates reads secrets. */
  readonly readsSecrets: (text: string) => boolean;
  /** The names that the templates in a JSON value read, with pointers into the value. */
  readonly templateNames: (value: unknown) => readonly NamesRead[];
  /** The names that one expression reads. */
  readonly expressionNames: (text: string) => Omit<NamesRead, "path">;
}

/** The names that an expression reads. */
export interface NamesRead {
  readonly path: string;
  /** Paths of names that begin in the scope: `["steps", "call", "output"]`. */
  readonly paths: readonly (readonly string[])[];
  /** Variables that the expression does not bind. */
  readonly variables: readonly string[];
}

/** The check of one definition: the known node types, and the errors so far. */
export interface CheckContext {
  readonly types: NodeTypes;
  readonly expressions: ExpressionCheck;
  readonly errors: FieldError[];
  /** Findings that may be right all the same. */
  readonly warnings: FieldError[];
  /** The type of the trigger, where it has one. */
  readonly triggerTypes: readonly unknown[];
  /** The nodes that triggers name as those which their runs start with. */
  readonly starts: ReadonlySet<unknown>;
}

/** Adds errors with paths below `base`. */
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
