import { expect, test } from "vitest";
import { SpeculativeSteps } from "./speculative-steps.ts";

const LONG_MS = 60_000;
const never = new Promise<void>(() => undefined);

/** Whether it is over once everything that could happen at once has happened. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  let over = false;
  void wait.then(() => (over = true));
  await new Promise((resolve) => setImmediate(resolve));
  return over;
}

test("steps that compute are waited for until they have ended, well or not", async () => {
  const steps = new SpeculativeSteps();
  const step = Promise.withResolvers<void>();
  const wait = steps.waitFor([step.promise, Promise.reject(new Error("It broke."))], LONG_MS);
  expect(await isOver(wait)).toBe(false);
  step.resolve();
  expect(await isOver(wait)).toBe(true);
});

test("steps that compute are waited for until one of them reaches outside", async () => {
  const steps = new SpeculativeSteps();
  const wait = steps.waitFor([never], LONG_MS);
  expect(await isOver(wait)).toBe(false);
  void steps.untilWritten();
  expect(await isOver(wait)).toBe(true);
});

test("a step that takes long is not waited for longer than that", async () => {
  const beganAtMs = performance.now();
  await new SpeculativeSteps().waitFor([never], 20);
  // A timer may be a millisecond early.
  expect(performance.now() - beganAtMs).toBeGreaterThanOrEqual(19);
});

test("no step reaches outside before the run is written", async () => {
  const steps = new SpeculativeSteps();
  const log: string[] = [];
  const step = steps.untilWritten().then(() => void log.push("reached"));
  void steps.waitFor([step], LONG_MS);
  log.push("written");
  expect(steps.release()).toEqual([step]);
  await step;
  expect(log).toEqual(["written", "reached"]);
  expect(steps.release()).toEqual([]);
});

test("no step reaches outside when the run is not written", async () => {
  const steps = new SpeculativeSteps();
  const step = steps.untilWritten();
  steps.abandon();
  await expect(step).rejects.toThrow("not written");
});
