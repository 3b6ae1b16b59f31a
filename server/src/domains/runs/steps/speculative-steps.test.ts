import { expect, test } from "vitest";
import { SpeculativeSteps } from "./speculative-steps.ts";

const LONG_MS = 60_000;
const never = new Promise<void>(() => undefined);

test("who computes is waited for, but not longer than until one of them wants to reach outside", async () => {
  const early = new SpeculativeSteps();
  await early.watch([Promise.resolve(), Promise.reject(new Error("It broke."))], LONG_MS);
  const watched = early.watch([never], LONG_MS);
  void early.written();
  await watched;
});

test("who takes long is not waited for", async () => {
  await new SpeculativeSteps().watch([never], 1);
});

test("nobody reaches outside before the run is written", async () => {
  const early = new SpeculativeSteps();
  const steps: string[] = [];
  const step = early.written().then(() => void steps.push("reached"));
  void early.watch([step], LONG_MS);
  steps.push("written");
  expect(early.take()).toEqual([step]);
  await step;
  expect(steps).toEqual(["written", "reached"]);
  expect(early.take()).toEqual([]);
});

test("nobody reaches outside when the run is not written", async () => {
  const early = new SpeculativeSteps();
  const step = early.written();
  early.leave();
  await expect(step).rejects.toThrow("not written");
});
