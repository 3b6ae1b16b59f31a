import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Endpoint, WINDOW } from "./endpoint-queue.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import type { Target } from "./target.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MOST = 4;
let count = 0;
function outgoing(resource = `thing ${count}`): PendingDelivery {
  count += 1;
  return { id: `dlv ${count}`, event: { resource: { id: resource } } } as PendingDelivery;
}
function endpoint(more: Partial<Target> = {}): Endpoint {
  const made = new Endpoint("whk", 0, MOST);
  made.target = { maxPerSecond: null, ...more } as Target;
  return made;
}
function takeAll(one: Endpoint): PendingDelivery[] {
  const taken: PendingDelivery[] = [];
  for (let next = one.take(0); next; next = one.take(0)) taken.push(next);
  return taken;
}

describe("limits concurrent attempts", () => {
  test("starts with two, adds one after each success, and does not exceed the setting", () => {
    const one = endpoint();
    for (let n = 0; n < 30; n += 1) one.push(outgoing());
    const counts: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const taken = takeAll(one);
      counts.push(taken.length);
      for (const delivery of taken) one.finishAttempt(delivery, true);
    }
    expect(counts).toEqual([2, 4, 4, 4]);
  });

  test("limits an endpoint to a single attempt after a failure", () => {
    const one = endpoint();
    for (let n = 0; n < 30; n += 1) one.push(outgoing());
    for (const delivery of takeAll(one)) one.finishAttempt(delivery, false);
    expect(takeAll(one)).toHaveLength(1);
  });
});

test("sends events sequentially per resource and concurrently across resources", () => {
  const one = endpoint();
  const [first, second, other] = [outgoing("a"), outgoing("a"), outgoing("b")];
  for (const delivery of [first, second, other]) one.push(delivery);
  expect(takeAll(one)).toEqual([first, other]);
  one.finishAttempt(first, true);
  expect(takeAll(one)).toEqual([second]);
});

test("maxPerSecond spaces the starts", () => {
  const one = endpoint({ maxPerSecond: 20 });
  for (let n = 0; n < 5; n += 1) one.push(outgoing());
  const first = one.take(0);
  expect(first).toBeDefined();
  expect(one.take(0)).toBeUndefined();
  expect(one.pauseMs).toBeCloseTo(50);
  vi.advanceTimersByTime(49);
  expect(one.take(0)).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect(one.take(0)).toBeDefined();
});

test("an endpoint gets the pause that it requested", () => {
  const one = endpoint();
  one.push(outgoing());
  one.holdUntilMs = 1_000;
  expect(one.take(999)).toBeUndefined();
  expect(one.take(1_000)).toBeDefined();
});

test("does not exceed the window or send a delivery twice", () => {
  const one = endpoint();
  const again = outgoing();
  expect([one.push(again), one.push(again)]).toEqual([true, true]);
  for (let n = 1; n < WINDOW; n += 1) expect(one.push(outgoing())).toBe(true);
  expect(one.push(outgoing())).toBe(false);
  expect(one.known).toBe(WINDOW);
  const [taken] = takeAll(one);
  expect(one.push(taken as PendingDelivery)).toBe(true);
  expect(one.known).toBe(WINDOW);
});

test("sends nothing while its target is unknown", () => {
  const one = endpoint();
  one.push(outgoing());
  one.target = undefined;
  expect(one.take(0)).toBeUndefined();
});
