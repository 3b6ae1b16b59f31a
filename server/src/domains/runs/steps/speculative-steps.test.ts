import { expect, test } from "vitest";
import { SpeculativeSteps } from "./speculative-steps.ts";

const LONG_MS = 60_000;
const never = new Promise<void>(() => undefined);

/** Checks if a promise is settled after all immediate work. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  let over = false;
  void wait.then(() => (over = true));
  await new Promise((resolve) => setImmediate(resolve));
  return over;
}

test("waitFor waits until computing steps end, with or without success", async () => {
  const steps = new SpeculativeSteps();
  const step = Promise.withResolvers<void>();
  const wait = steps.waitFor([step.promise, Promise.reject(new Error("It broke."))], LONG_MS);
  expect(await isOver(wait)).toBe(false);
  step.resolve();
  expect(await isOver(wait)).toBe(true);
});

test("waitFor stops waiting when a step needs effects outside", async () => {
  const steps = new SpeculativeSteps();
  const wait = steps.waitFor([never], LONG_MS);
  expect(await isOver(wait)).toBe(false);
  void steps.untilWritten();
  expect(await isOver(wait)).toBe(true);
});

test("waitFor stops waiting for a slow step at the time limit", async () => {
  const beganAtMs = performance.now();
  await new SpeculativeSteps().waitFor([never], 20);
  // Timers can fire a millisecond early.
  expect(performance.now() - beganAtMs).toBeGreaterThanOrEqual(19);
});

test("no step has effects outside before the run is written", async () => {
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

test("no step has effects outside if the run is not written", async () => {
  const steps = new SpeculativeSteps();
  const step = steps.untilWritten();
  steps.abandon();
  await expect(step).rejects.toThrow("not written");
});
