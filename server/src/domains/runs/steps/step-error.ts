import type { StepError } from "#domains/workflows/index.ts";
import { isConnectionLoss, isTransient } from "#kernel/db/errors.ts";
import { ExpressionError } from "#kernel/expression/expression-failure.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import { retryAfterMs } from "#kernel/outbound/retry-after.ts";
import { JSON_DEPTH_MAX, sizeProblem } from "#kernel/schema/json-value.ts";

/** Details of a step failure in addition to its code and message. */
export type FailureParticulars = Omit<StepError, "code" | "message">;

/** Thrown by an executor. The message is for the author of the workflow. */
export class StepFailure extends Error {
  readonly code: string;
  readonly particulars: FailureParticulars;

  constructor(code: string, message: string, particulars: FailureParticulars = {}) {
    super(message);
    this.code = code;
    this.particulars = particulars;
  }
}

/** An error response that a step received. */
export interface RefusedCall {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Statuses below 500 of calls that can succeed later. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** Details of an error response, including whether and when the call is retried. */
export function describeRefusal({ status, headers, body }: RefusedCall, nowMs: number) {
  const waitMs = retryAfterMs(headers["retry-after"], nowMs);
  return {
    status,
    headers,
    body,
    retryable: status >= 500 || PASSING_STATUSES.has(status),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  };
}

/** Converts an error from an operation or an external system to a step failure. */
export function toOperationFailure(
  { status, headers, body }: RefusedCall,
  nowMs: number,
): StepFailure {
  const { upstreamStatus, upstreamHeaders, upstreamBody, ...problem } = body as Problem;
  const { code = "refused", detail, title = "The request was rejected." } = problem;
  const upstream = {
    status: upstreamStatus ?? status,
    headers: { ...upstreamHeaders, ...headers },
    body: upstreamBody ?? null,
  };
  const call = upstreamStatus == null ? { status, headers, body } : upstream;
  return new StepFailure(code, detail ?? title, describeRefusal(call, nowMs));
}

/** The known fields of a problem document. */
interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly title?: string;
  readonly upstreamStatus?: number | null;
  readonly upstreamHeaders?: Readonly<Record<string, string>>;
  readonly upstreamBody?: unknown;
}

/**
 * The error of a step with a message that can be stored. Undefined for a bug. Database failures are rethrown because
 * they must not count as step failures.
 */
export function toStepError(error: unknown, isAborted: boolean): StepError | undefined {
  if (error instanceof StepFailure) {
    return { retryable: true, ...error.particulars, code: error.code, message: error.message };
  }
  if (isAborted) return { code: "cancelled", message: "The run was cancelled.", retryable: false };
  if (error instanceof ExpressionError) {
    const { path: field, text, code, message } = error;
    return {
      code: `expression_${code}`,
      message: field === undefined ? message : `${field}: ${message}`,
      retryable: code === "busy" || code === "timeout",
      ...(field !== undefined && { field }),
      ...(text !== undefined && { expression: text.trim() }),
    };
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

/** The error for an output that is too large or too deeply nested to store. */
export function outputSizeError(value: unknown): StepError | undefined {
  switch (sizeProblem(value)) {
    case "deep":
      return {
        code: "output_too_deep",
        message: `The output has more than ${JSON_DEPTH_MAX} levels of nesting.`,
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
