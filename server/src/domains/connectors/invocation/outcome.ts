import { Failure } from "#kernel/operation/failure.ts";
import { failureOf, UpstreamError } from "../upstream/upstream-error.ts";
import type { Evidence } from "./circuit-breaker.ts";

/** What came of a use: an output, or why there is none. */
export type InvocationOutcome = ({ readonly output: unknown } | { readonly failure: Failure }) & {
  readonly upstreamStatus: number | null;
  readonly durationMs: number;
  readonly evidence: Evidence;
};

/** Does it, and takes down how it went. What is not the other system's failure is thrown. */
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
    };
  }
}

/** What events tell of it: never what was sent or answered. */
export function outcomeFields(outcome: InvocationOutcome) {
  const { upstreamStatus, durationMs } = outcome;
  const failed = "failure" in outcome ? outcome.failure.type.code : undefined;
  return {
    ok: failed === undefined,
    upstreamStatus,
    durationMs,
    ...(failed !== undefined && { error: failed }),
  };
}

/** Who is not let in learns that somebody is there. */
const WHO_ARE_YOU = new Set([401, 403, 407]);

function evidenceOf({ message, particulars }: UpstreamError): Evidence {
  const { isDown = false, status, code } = particulars;
  if (isDown) return { is: "down", reason: message };
  if (status !== undefined && WHO_ARE_YOU.has(status)) return { is: "answering" };
  return status !== undefined || code !== undefined ? { is: "up" } : { is: "unclear" };
}

function statusIn(output: unknown): number | null {
  const { status } = Object(output) as { readonly status?: unknown };
  return typeof status === "number" && Number.isInteger(status) ? status : null;
}
