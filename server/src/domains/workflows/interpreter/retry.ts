import type { PlanNode, RetryRule } from "../definition/index.ts";
import type { StepError, StepRecord } from "./step.ts";

/** The delay after a failed attempt. The first attempt has number 1. */
export function retryDelayMs(retry: RetryRule, attempt: number): number {
  const factor = retry.strategy === "fixed" ? 1 : 2 ** (attempt - 1);
  return Math.min(retry.backoffMs * factor, retry.maxDelayMs);
}

/** True if another attempt can succeed, or if the node lists the status for retries. */
function isRetryable(retry: RetryRule, { retryable, status }: StepError): boolean {
  return retryable !== false || (status !== undefined && retry.statuses.includes(status));
}

/** A step that is postponed this often fails. */
const POSTPONEMENTS_MAX = 1_000;
const POSTPONED_MIN_MS = 10;

/** The step record after a failed attempt, with the consequence. */
export interface AfterFailure {
  readonly next: "retry" | "fail" | "continue" | "branch";
  readonly record: StepRecord;
}

/** Decides what follows a failed attempt. `record.attempts` includes that attempt. */
export function afterFailure(
  node: PlanNode,
  record: StepRecord,
  error: StepError,
  nowMs: number,
): AfterFailure {
  const { branch: _, output: __, retryAtMs: ___, ...fields } = record;
  const { retry } = node;
  const { postponements = 0 } = record;
  if (error.postponed === true && postponements < POSTPONEMENTS_MAX) {
    const retryAtMs = nowMs + Math.max(error.retryAfterMs ?? 0, POSTPONED_MIN_MS);
    const waiting = { ...fields, status: "waiting" as const, error, retryAtMs };
    return { next: "retry", record: { ...waiting, postponements: postponements + 1 } };
  }
  const mayRetry =
    retry !== undefined && isRetryable(retry, error) && node.type.alwaysFails !== true;
  if (mayRetry && record.attempts - postponements < retry.maxAttempts) {
    const delayMs = Math.max(
      retryDelayMs(retry, record.attempts - postponements),
      error.retryAfterMs ?? 0,
    );
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
