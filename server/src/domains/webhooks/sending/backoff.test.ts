import fc from "fast-check";
import { expect, test } from "vitest";
import { retryAfterMs } from "#kernel/outbound/retry-after.ts";
import { retryDelayMs } from "./backoff.ts";

test.each([
  ["exponential", null, [2, 4, 8, 16, 32]],
  ["exponential", 5_000, [2, 4, 5, 5, 5]],
  ["fixed", null, [30, 120, 600, 1_800, 1_800]],
  ["fixed", 60_000, [30, 60, 60, 60, 60]],
] as const)("%s, at most %s ms: waits %j s", (strategy, maxDelayMs, seconds) => {
  const waits = [1, 2, 3, 4, 5].map(
    (attempts) => retryDelayMs({ retries: 5, strategy, maxDelayMs }, attempts, 0.5) / 1_000,
  );
  expect(waits).toEqual(seconds);
});

test("the jitter is at most ten percent, and delays do not exceed the maximum", () => {
  const policy = { retries: 20, strategy: "exponential", maxDelayMs: null } as const;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (n, r) => {
        const plain = Math.min(2_000 * 2 ** (n - 1), 86_400_000);
        const wait = retryDelayMs(policy, n, r);
        expect(wait).toBeGreaterThanOrEqual(Math.min(plain * 0.9 - 1, 86_400_000));
        expect(wait).toBeLessThanOrEqual(Math.min(plain * 1.1 + 1, 86_400_000));
      },
    ),
  );
});

test.each([
  ["120", 120_000],
  [" 7 ", 7_000],
  ["Thu, 01 Jan 1970 00:01:00 GMT", 60_000],
  ["Thu, 01 Jan 1969 00:00:00 GMT", 0],
  ["999999999", 86_400_000],
  ["soon", undefined],
  [undefined, undefined],
])("Retry-After %j asks for %s ms", (header, expected) => {
  expect(retryAfterMs(header, 0)).toBe(expected);
});
