import { OutboundFailed } from "./error.ts";

/** The end of a call's time, or of its caller's patience. */
export interface TimeLimit {
  /** Aborted when the call must end. */
  readonly signal: AbortSignal;
  /** Rejects at the same moment; it never resolves. */
  readonly over: Promise<never>;
  /** Forgets the limit; to be called when the call has ended. */
  readonly stop: () => void;
}

// Beyond this, setTimeout fires at once.
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

/** Starts the clock of a call; `at` names the call in the failure's message. */
export function startTimeLimit(
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  at: string,
): TimeLimit {
  if (!(timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS)) throw new RangeError("Invalid timeoutMs");
  const controller = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (failure: OutboundFailed): void => {
    controller.abort(failure);
    reject(failure);
  };
  const timer = setTimeout(() => {
    end(new OutboundFailed("timeout", `${at}: no whole answer within ${timeoutMs} ms`));
  }, timeoutMs);
  const onAbort = (): void => end(new OutboundFailed("aborted", `${at}: cancelled`));
  // Not AbortSignal.any: the caller's signal may live as long as the process, and each call
  // would leave something on it.
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  const stop = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  return { signal: controller.signal, over, stop };
}
