import { setTimeout as wait } from "node:timers/promises";
import type { Deadline } from "./deadline.ts";
import { UpstreamError } from "./upstream-error.ts";

const FIRST_WAIT_MS = 100;
const WAIT_MAX_MS = 5_000;
const WAIT_HERE_MAX_MS = 1_000;

export interface RetryOptions {
  /** Further attempts. */
  readonly retries: number;
  readonly deadline: Deadline;
  /** True if repeating it has no further effect; otherwise only unsent requests are retried. */
  readonly idempotent: boolean;
}

/**
 * Retries until success, a permanent error, or the deadline. Waits double each time, multiplied by a random factor
 * between 0.5 and 1.5, so that many callers do not retry at once.
 */
export async function withRetries<T>(options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  const { retries, deadline, idempotent } = options;
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= retries || !isPassing(error, idempotent)) throw error;
      const growing = Math.min(FIRST_WAIT_MS * 2 ** tried, WAIT_MAX_MS) * (0.5 + Math.random());
      const waitMs = Math.max(growing, error.particulars.retryAfterMs ?? 0);
      // Long waits are left to callers that can wait without holding resources.
      const isLimited = error.particulars.status === 429 && waitMs > WAIT_HERE_MAX_MS;
      if (isLimited || waitMs >= deadline.remainingMs()) throw error;
      await wait(waitMs);
    }
  }
}

function isPassing(error: unknown, idempotent: boolean): error is UpstreamError {
  if (!(error instanceof UpstreamError)) return false;
  const { unsent = false, isDown = false } = error.particulars;
  return unsent || (idempotent && isDown);
}
