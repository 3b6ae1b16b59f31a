import type { PlanNode, RetryRule } from "../definition/index.ts";
import type { StepError, StepRecord } from "./step.ts";

/** How long to wait after an attempt failed; the first one is attempt 1. */
export function retryDelayMs(retry: RetryRule, attempt: number): number {
  const factor = retry.strategy === "fixed" ? 1 : 2 ** (attempt - 1);
  return Math.min(retry.backoffMs * factor, retry.maxDelayMs);
}

/** What follows when an attempt failed, and what the journal then says about the step. */
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
  const { branch: _, output: __, retryAtMs: ___, ...kept } = record;
  const { retry } = node;
  const mayRetry = error.retryable !== false && node.type.alwaysFails !== true;
  if (retry !== undefined && mayRetry && record.attempts < retry.maxAttempts) {
    const retryAtMs = nowMs + retryDelayMs(retry, record.attempts);
    return { next: "retry", record: { ...kept, status: "waiting", error, retryAtMs } };
  }
  switch (node.onError) {
    case "fail":
      return { next: "fail", record: { ...kept, status: "failed", error } };
    case "continue":
      return { next: "continue", record: { ...kept, status: "completed", output: null, error } };
    case "branch":
      return { next: "branch", record: { ...kept, status: "failed", branch: "error", error } };
  }
}
