import { expect, test } from "vitest";
import { RateLimit } from "./rate-limit.ts";

test("a clock that is set back limits nobody for longer than a window", () => {
  let nowMs = 10_000_000;
  const limit = new RateLimit(() => nowMs);
  expect(limit.take("k", 1)).toMatchObject({ allowed: true, resetSeconds: 60 });
  expect(limit.take("k", 1)).toMatchObject({ allowed: false });
  nowMs -= 7_200_000;
  expect(limit.take("k", 1)).toMatchObject({ allowed: true, resetSeconds: 60 });
  expect(limit.take("k", 1)).toMatchObject({ allowed: false, resetSeconds: 60 });
});
