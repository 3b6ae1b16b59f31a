import { UpstreamError } from "./upstream-error.ts";

/** The time limit of one invocation, including all attempts. */
export interface Deadline {
  /** Aborted at the deadline. */
  readonly signal: AbortSignal;
  /** At least 1. */
  remainingMs(): number;
  /** Clears the timer; called when the invocation has ended. */
  stop(): void;
}

export function startDeadline(timeoutMs: number): Deadline {
  const endsAt = performance.now() + timeoutMs;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(timeoutError(timeoutMs)), timeoutMs);
  return {
    signal: controller.signal,
    remainingMs: () => Math.max(1, Math.ceil(endsAt - performance.now())),
    stop: () => clearTimeout(timer),
  };
}

/** The result of `work`, or a failure at the deadline; the work must stop on the signal. */
export async function withDeadline<T>({ signal }: Deadline, work: Promise<T>): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, over]);
  } finally {
    signal.removeEventListener("abort", end);
    // The losing promise must not cause an unhandled rejection.
    work.catch(() => undefined);
    over.catch(() => undefined);
  }
}

/**
 * Runs work on a connection and closes it on failure or at the deadline, so that a silent server does not hold a
 * connection.
 */
export async function closedAtDeadline<T>(
  { signal }: Deadline,
  connection: { close(): void },
  work: () => Promise<T>,
): Promise<T> {
  const close = (): void => connection.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    signal.throwIfAborted();
    return await work();
  } catch (error) {
    connection.close();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
  }
}

function timeoutError(timeoutMs: number): UpstreamError {
  const words = `No complete response within ${timeoutMs} ms.`;
  return new UpstreamError(words, { isDown: true, isTimeout: true });
}
