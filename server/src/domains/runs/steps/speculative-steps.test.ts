import { expect, test } from "vitest";
import { SpeculativeSteps } from "./speculative-steps.ts";

const LONG_MS = 60_000;
const never = new Promise<void>(() => undefined);

test("steps that compute are waited for until one of them reaches outside", async () => {
  const steps = new SpeculativeSteps();
  await steps.waitFor([Promise.resolve(), Promise.reject(new Error("It broke."))], LONG_MS);
  const watched = steps.waitFor([never], LONG_MS);
  void steps.untilWritten();
  await watched;
});

test("a step that takes long is not waited for", async () => {
  await new SpeculativeSteps().waitFor([never], 1);
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
