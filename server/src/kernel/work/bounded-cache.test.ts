import { expect, test } from "vitest";
import { BoundedCache } from "./bounded-cache.ts";

test("keeps recently used values up to its maximum weight", () => {
  const cache = new BoundedCache<number>(100);
  for (let index = 0; index < 1_000; index += 1) {
    cache.set(`k${index}`, index, 10);
    cache.set("used", 1, 1);
    expect(cache.get("used")).toBe(1);
  }
  const kept = Array.from({ length: 1_000 }, (_, index) => cache.get(`k${index}`) ?? -1);
  const alive = kept.filter((value) => value !== -1);
  expect(alive.length).toBeLessThanOrEqual(10);
  expect(alive).toContain(999);
});

test("keeps values that are only read", () => {
  const cache = new BoundedCache<number>(100);
  cache.set("read", 7, 10);
  for (let index = 0; index < 1_000; index += 1) {
    cache.set(`k${index}`, index, 10);
    expect(cache.get("read")).toBe(7);
  }
});

test("drops a value that is too heavy soon, and returns replaced values", () => {
  const cache = new BoundedCache<number>(100);
  cache.set("a", 1, 10);
  cache.set("a", 2, 10);
  expect(cache.get("a")).toBe(2);
  cache.set("huge", 3, 1_000);
  cache.set("b", 4, 60);
  expect(cache.get("huge")).toBeUndefined();
});
