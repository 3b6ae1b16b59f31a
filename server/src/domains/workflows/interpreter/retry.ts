import type { PlanNode, RetryRule } from "../definition/index.ts";
import type { StepError, StepRecord } from "./step.ts";

/** The delay after an attempt failed; the first one is attempt 1. */
export function retryDelayMs(retry: RetryRule, attempt: number): number {
  const factor = retry.strategy === "fixed" ? 1 : 2 ** (attempt - 1);
  return Math.min(retry.backoffMs * factor, retry.maxDelayMs);
}

/** True when another attempt may end otherwise: a refusal that the node says to retry does too. */
function isRetryable(retry: RetryRule, { retryable, status }: StepError): boolean {
  return retryable !== false || (status !== undefined && retry.statuses.includes(status));
}

/** The consequence of a failed attempt, and the step's record. */
export interface AfterFailure {
  readonly next: "retry" | "fail" | "continue" | "branch";
  readonly record: StepRecord;
}

/** Decides what follows when an attempt failed; `record.attempts` counts that attempt. */
export function afterFailure(
  node: PlanNode,
  record: StepRecord,
  error: StepError,
  nowMs: number,
): AfterFailure {
  const { branch: _, output: __, retryAtMs: ___, ...fields } = record;
  const { retry } = node;
  const mayRetry =
    retry !== undefined && isRetryable(retry, error) && node.type.alwaysFails !== true;
  if (mayRetry && record.attempts < retry.maxAttempts) {
    const delayMs = Math.max(retryDelayMs(retry, record.attempts), error.retryAfterMs ?? 0);
    const retryAtMs = nowMs + delayMs;
    return { next: "retry", record: { ...fields, status: "waiting", error, retryAtMs } };
  }
  switch (node.onError) {
    case "fail":
      return { next: "fail", record: { ...fields, status: "failed", error } };
    case "continue":
      return { next: "continue", record: { ...fields, status: "completed", output: null, error } };
    case "branch":
      return { next: "branch", record: { ...fields, status: "failed", branch: "error", error } };
  }
}
