import { ExpressionError } from "../expression-failure.ts";
import { isFunctionName } from "../function-names.ts";
import { evaluationFailure } from "../error-messages.ts";
import type { EvaluationError, EvaluationRequest, EvaluationReply } from "./protocol.ts";

/** The outcome of one expression. */
export type EvaluationOutcome =
  | { readonly value: unknown; readonly failure?: undefined }
  | { readonly failure: ExpressionError; readonly value?: undefined };

/** The outcomes of an evaluator's replies. If it ended early, the last reply applies to the rest. */
export function toOutcomes(
  expressions: EvaluationRequest["expressions"],
  replies: readonly EvaluationReply[],
): readonly EvaluationOutcome[] {
  const last = replies.at(-1) ?? { error: { code: "unknown" } };
  return expressions.map(({ text }, index) => {
    const { error, ...rest } = replies[index] ?? last;
    if (error) return { failure: toExpressionError(error, text) };
    const json = "json" in rest ? rest.json : undefined;
    return { value: json === undefined ? undefined : JSON.parse(json) };
  });
}

function toExpressionError(
  { code, position, token, customMessage }: EvaluationError,
  text: string,
): ExpressionError {
  if (code === "timeout") {
    return new ExpressionError("timeout", "The expression took too long and was stopped.");
  }
  if (code === "too_large") {
    return new ExpressionError(
      "too_large",
      "The expression needs too much memory, or its result is too large.",
    );
  }
  const at = { position, token: token === undefined ? undefined : findToken(token, text) };
  // Only literals of the expression are shown: other messages may contain a secret value.
  if (customMessage && isLiteral(customMessage, text)) {
    return new ExpressionError("evaluation", customMessage, at);
  }
  return evaluationFailure(code, at);
}

function isLiteral(message: string, text: string): boolean {
  return text.includes(`"${message}"`) || text.includes(`'${message}'`);
}

/** A token of the expression's text. Other tokens might be values and are omitted. */
function findToken(token: string, text: string): string | undefined {
  const name = isFunctionName(token) ? `$${token}` : token;
  return text.includes(name) ? name : undefined;
}
