import type { StepError } from "#domains/workflows/index.ts";
import { isConnectionLoss, isTransient } from "#kernel/db/errors.ts";
import { ExpressionError } from "#kernel/expression/expression-failure.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import { JSON_DEPTH_MAX, sizeProblem } from "#kernel/schema/json-value.ts";

/** Thrown by an executor: why the step failed, in words for the author of the workflow. */
export class StepFailure extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { readonly retryable?: boolean } = {}) {
    super(message);
    this.code = code;
    this.retryable = options.retryable ?? true;
  }
}

/**
 * The error of a step in words that may be stored; undefined for a bug of ours. A failure of the
 * database is thrown, since it must not count against the step.
 */
export function toStepError(error: unknown, isAborted: boolean): StepError | undefined {
  if (error instanceof StepFailure) {
    return { code: error.code, message: error.message, retryable: error.retryable };
  }
  if (isAborted) return { code: "cancelled", message: "The run was ended.", retryable: false };
  if (error instanceof ExpressionError) {
    const isPassing = error.code === "busy" || error.code === "timeout";
    return { code: `expression_${error.code}`, message: error.message, retryable: isPassing };
  }
  if (error instanceof OutboundRefused) {
    return { code: "outbound_refused", message: error.message, retryable: false };
  }
  if (error instanceof OutboundFailed) return { code: "network", message: error.message };
  if (error instanceof Failure) {
    const { code, status } = error.type;
    return { code, message: error.message, retryable: status >= 500 };
  }
  if (isConnectionLoss(error) || isTransient(error)) throw error;
  return undefined;
}

/** The error of an output that is too large or nests too deeply to be stored. */
export function outputSizeError(value: unknown): StepError | undefined {
  switch (sizeProblem(value)) {
    case "deep":
      return {
        code: "output_too_deep",
        message: `The output nests more than ${JSON_DEPTH_MAX} levels deep.`,
        retryable: false,
      };
    case "large":
      return {
        code: "output_too_large",
        message: "The output is larger than 1 MiB.",
        retryable: false,
      };
    case undefined:
      return undefined;
  }
}
