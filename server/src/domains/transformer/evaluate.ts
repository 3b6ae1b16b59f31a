import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { permission } from "#kernel/access/permission.ts";
import { ExpressionError } from "#kernel/expression/expression-failure.ts";
import { compileExpression } from "#kernel/expression/expression.ts";
import {
  Failure,
  failure,
  type FailureType,
  Invalid,
  Unavailable,
} from "#kernel/operation/failure.ts";

export const ExpressionFailed = failure(
  "expression_failed",
  422,
  "The expression can't be evaluated with this input.",
);
export const ExpressionTimedOut = failure(
  "expression_timed_out",
  422,
  "The expression took too long and was stopped.",
);
export const ExpressionTooLarge = failure(
  "expression_too_large",
  422,
  "The expression needs too much memory, or its result is too large.",
);

export interface EvaluationInput {
  readonly expression: string;
  readonly input?: unknown;
  readonly bindings?: Readonly<Record<string, unknown>>;
}

/** Evaluates an expression. Returns null without a value. Throws a failure with the error's position. */
export async function evaluate(
  { expressions, clock }: Platform,
  { workspace }: Caller,
  { expression, input, bindings }: EvaluationInput,
): Promise<unknown> {
  const bindingOptions = bindings && Object.keys(bindings).length > 0 ? { bindings } : {};
  try {
    const value = await compileExpression(expression).evaluate(input, {
      pool: expressions,
      key: workspace?.key ?? "",
      nowMs: clock.nowMs(),
      ...bindingOptions,
    });
    return value ?? null;
  } catch (error) {
    throw error instanceof ExpressionError ? toFailure(error) : error;
  }
}

function toFailure({ code, message, position }: ExpressionError): Failure {
  if (code === "busy") return new Failure(Unavailable, { headers: { "retry-after": "1" } });
  const error = { path: "/expression", message, ...(position !== undefined && { position }) };
  return new Failure(TYPES[code], { detail: message, errors: [error] });
}

const TYPES: Readonly<Record<Exclude<ExpressionError["code"], "busy">, FailureType>> = {
  syntax: Invalid,
  evaluation: ExpressionFailed,
  timeout: ExpressionTimedOut,
  too_large: ExpressionTooLarge,
};

export const TransformerUse = permission("transformer:use", "Evaluate expressions", ["builder"]);
