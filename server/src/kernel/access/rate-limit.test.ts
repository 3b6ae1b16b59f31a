import { expect, test } from "vitest";
import { RateLimit } from "./rate-limit.ts";

test("a clock set back does not extend the limit beyond one window", () => {
  let nowMs = 10_000_000;
  const limit = new RateLimit(() => nowMs);
  expect(limit.take("k", 1)).toMatchObject({ allowed: true, resetSeconds: 60 });
  expect(limit.take("k", 1)).toMatchObject({ allowed: false });
  nowMs -= 7_200_000;
  expect(limit.take("k", 1)).toMatchObject({ allowed: true, resetSeconds: 60 });
  expect(limit.take("k", 1)).toMatchObject({ allowed: false, resetSeconds: 60 });
});

test("many new keys do not reset a key that is at its limit", () => {
  const limit = new RateLimit(() => 0);
  for (let n = 0; n < 5; n += 1) limit.take("guesser", 5);
  for (let n = 0; n < 350_000; n += 1) limit.take(`address ${n}`, 5);
  expect(limit.take("guesser", 5)).toMatchObject({ allowed: false });
});
