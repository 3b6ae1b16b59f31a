import { ExpressionError } from "../expression-failure.ts";
import { isFunctionName } from "../function-names.ts";
import { evaluationFailure } from "../error-messages.ts";
import type { EvaluationError, EvaluationRequest, EvaluationReply } from "./protocol.ts";

/** What became of one expression. */
export type EvaluationOutcome =
  | { readonly value: unknown; readonly failure?: undefined }
  | { readonly failure: ExpressionError; readonly value?: undefined };

/** The outcomes that an evaluator reports; where it ended early, its last report counts for the rest. */
export function outcomesOf(
  expressions: EvaluationRequest["expressions"],
  reports: readonly EvaluationReply[],
): readonly EvaluationOutcome[] {
  const last = reports.at(-1) ?? { fault: { code: "unknown" } };
  return expressions.map(({ text }, index) => {
    const { fault, ...rest } = reports[index] ?? last;
    if (fault) return { failure: failureOf(fault, text) };
    const json = "json" in rest ? rest.json : undefined;
    return { value: json === undefined ? undefined : JSON.parse(json) };
  });
}

function failureOf(
  { code, position, token, said }: EvaluationError,
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
  const place = { position, token: token === undefined ? undefined : written(token, text) };
  if (said && (text.includes(`"${said}"`) || text.includes(`'${said}'`))) {
    return new ExpressionError("evaluation", said, place);
  }
  return evaluationFailure(code, place);
}

/** A token as it stands in the text. What does not stand there might be a value, and is not told. */
function written(token: string, text: string): string | undefined {
  const name = isFunctionName(token) ? `$${token}` : token;
  return text.includes(name) ? name : undefined;
}
