import { expect, test } from "vitest";
import { startDeadline } from "./deadline.ts";
import { UpstreamError } from "./upstream-error.ts";
import { withRetries } from "./retry.ts";

/** Counts the attempts for an error, with two retries allowed. */
async function triesOf(
  error: Error,
  options: { readonly idempotent: boolean; readonly timeoutMs?: number },
): Promise<number> {
  const deadline = startDeadline(options.timeoutMs ?? 60_000);
  let tries = 0;
  const trying = withRetries({ retries: 2, deadline, idempotent: options.idempotent }, async () => {
    tries += 1;
    throw error;
  });
  await expect(trying).rejects.toBe(error);
  deadline.stop();
  return tries;
}

const DOWN = new UpstreamError("down", { isDown: true });

test("retries all requests that were certainly not sent", async () => {
  const unsent = new UpstreamError("no connection", { isDown: true, unsent: true });
  expect(await triesOf(unsent, { idempotent: false })).toBe(3);
});

test("retries requests that may have been sent only if they are idempotent", async () => {
  expect(await triesOf(DOWN, { idempotent: true })).toBe(3);
  expect(await triesOf(DOWN, { idempotent: false })).toBe(1);
});

test("rejections and bugs are not retried", async () => {
  expect(await triesOf(new UpstreamError("no", { status: 404 }), { idempotent: true })).toBe(1);
  expect(await triesOf(new TypeError("ours"), { idempotent: true })).toBe(1);
});

test("does not start an attempt that would end after the deadline", async () => {
  expect(await triesOf(DOWN, { idempotent: true, timeoutMs: 10 })).toBe(1);
  const patient = new UpstreamError("later", { isDown: true, retryAfterMs: 120_000 });
  expect(await triesOf(patient, { idempotent: true })).toBe(1);
});
