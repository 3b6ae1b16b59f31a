import { ExpressionError } from "../expression-failure.ts";
import { isFunctionName } from "../function-names.ts";
import { evaluationFailure } from "../error-messages.ts";
import type { EvaluationError, EvaluationRequest, EvaluationReply } from "./protocol.ts";

/** The outcome of one expression. */
export type EvaluationOutcome =
  | { readonly value: unknown; readonly failure?: undefined }
  | { readonly failure: ExpressionError; readonly value?: undefined };

/** The outcomes that an evaluator replies; where it ended early, its last reply counts for the rest. */
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
  // Only a literal of the expression: any other message may hold a value, which may be a secret.
  if (customMessage && isLiteral(customMessage, text)) {
    return new ExpressionError("evaluation", customMessage, at);
  }
  return evaluationFailure(code, at);
}

function isLiteral(message: string, text: string): boolean {
  return text.includes(`"${message}"`) || text.includes(`'${message}'`);
}

/** A token as it stands in the text. One that does not stand there might be a value, and is left out. */
function findToken(token: string, text: string): string | undefined {
  const name = isFunctionName(token) ? `$${token}` : token;
  return text.includes(name) ? name : undefined;
}
