import { Failure } from "#kernel/operation/failure.ts";
import { failureOf, UpstreamError } from "../upstream/upstream-error.ts";
import type { Evidence } from "./circuit-breaker.ts";

/** The outcome of an invocation: an output or a failure. */
export type InvocationOutcome = ({ readonly output: unknown } | { readonly failure: Failure }) & {
  readonly upstreamStatus: number | null;
  readonly durationMs: number;
  readonly evidence: Evidence;
  /** How long the upstream asked callers to wait. */
  readonly limitedForMs?: number;
};

/** Runs and measures the work. Throws errors that the upstream did not cause. */
export async function runAttempt(work: () => Promise<unknown>): Promise<InvocationOutcome> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  try {
    const output = (await work()) ?? null;
    const upstreamStatus = statusIn(output);
    return { output, upstreamStatus, durationMs: durationMs(), evidence: { is: "up" } };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return {
      failure: failureOf(error),
      upstreamStatus: error.particulars.status ?? null,
      durationMs: durationMs(),
      evidence: evidenceOf(error),
      ...(isLimit(error) && { limitedForMs: error.particulars.retryAfterMs ?? 0 }),
    };
  }
}

/** The fields of a result in events, without request and response content. */
export function outcomeFields(outcome: InvocationOutcome) {
  const { upstreamStatus, durationMs } = outcome;
  const errorCode = "failure" in outcome ? outcome.failure.type.code : undefined;
  return {
    ok: errorCode === undefined,
    upstreamStatus,
    durationMs,
    ...(errorCode !== undefined && { error: errorCode }),
  };
}

/** Statuses of an upstream that responds, but rejects the credentials. */
const AUTH_STATUSES = new Set([401, 403, 407]);

function isLimit({ particulars: { status, retryAfterMs } }: UpstreamError): boolean {
  return status === 429 && retryAfterMs !== undefined && retryAfterMs > 0;
}

function evidenceOf(error: UpstreamError): Evidence {
  const { message, particulars } = error;
  const { isDown = false, status, code } = particulars;
  // A rate-limited upstream is healthy.
  if (isLimit(error)) return { is: "unclear" };
  if (isDown) return { is: "down", reason: message };
  if (status !== undefined && AUTH_STATUSES.has(status)) return { is: "answering" };
  return status !== undefined || code !== undefined ? { is: "up" } : { is: "unclear" };
}

function statusIn(output: unknown): number | null {
  const { status } = Object(output) as { readonly status?: unknown };
  return typeof status === "number" && Number.isInteger(status) ? status : null;
}
