export type RetryStrategy = "fixed" | "exponential";

export interface RetryPolicy {
  readonly retries: number;
  readonly strategy: RetryStrategy;
  readonly maxDelayMs: number | null;
}

const FIRST_DELAY_MS = 2_000;
const FIXED_DELAYS_MS = [30_000, 120_000, 600_000, 1_800_000] as const;
const DELAY_MAX_MS = 24 * 3_600_000;
const JITTER = 0.1;

/**
 * The delay after a number of attempts: 2, 4, 8 … s, or the fixed schedule. A jitter of 10 % spreads the retries of
 * deliveries that failed together; `random` is between 0 and 1.
 */
export function retryDelayMs(policy: RetryPolicy, attempts: number, random: number): number {
  const plain =
    policy.strategy === "exponential"
      ? FIRST_DELAY_MS * 2 ** (attempts - 1)
      : (FIXED_DELAYS_MS[attempts - 1] ?? FIXED_DELAYS_MS.at(-1) ?? 0);
  const jittered = plain * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.min(jittered, policy.maxDelayMs ?? DELAY_MAX_MS, DELAY_MAX_MS));
}
