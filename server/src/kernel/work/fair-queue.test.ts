import { describe, expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

const BOUNDS = { concurrency: 3, waitingMax: 10, waitingPerKeyMax: 5 };

function queueOf(...entries: readonly (readonly [string, number])[]): FairQueue<string> {
  const queue = new FairQueue<string>({ ...BOUNDS, waitingMax: 1_000, waitingPerKeyMax: 1_000 });
  for (const [key, count] of entries) {
    for (let index = 1; index <= count; index += 1) queue.add(key, `${key}${index}`);
  }
  return queue;
}

describe("a fair queue", () => {
  test("serves keys in turn, and the items of one key in order", () => {
    const queue = queueOf(["a", 3], ["b", 2], ["c", 1]);
    const served: string[] = [];
    for (let turn = queue.take(0); turn; turn = queue.take(0)) {
      served.push(turn.item);
      turn.done(0, 0);
    }
    expect(served).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  test("leaves a slot to other keys, regardless of the number of items of one key", () => {
    const queue = queueOf(["a", 9]);
    const [first, second] = [queue.take(0), queue.take(0)];
    expect([first?.item, second?.item, queue.take(0)]).toEqual(["a1", "a2", undefined]);
    queue.add("b", "b1");
    expect(queue.take(0)?.item).toBe("b1");
    second?.done(0, 0);
    expect(queue.take(0)?.item).toBe("a3");
  });

  test("prefers the key with the least usage", () => {
    const queue = queueOf(["a", 3], ["b", 3]);
    queue.take(0)?.done(200, 200);
    queue.take(200)?.done(50, 250);
    expect([queue.take(250)?.item, queue.take(250)?.item]).toEqual(["b2", "b3"]);
    expect(queue.take(250)?.item).toBe("a2");
  });

  test("keeps a slot free of heavy keys, whose usage decays over time", () => {
    const queue = queueOf(["a", 4], ["b", 4], ["c", 4]);
    const turns = [queue.take(0), queue.take(0), queue.take(0)];
    for (const turn of turns) turn?.done(1_000, 1_000);
    const heavy = [queue.take(1_000), queue.take(1_000)];
    expect(heavy.map((turn) => turn?.item)).toEqual(["a2", "b2"]);
    expect(queue.take(1_000)).toBeUndefined();
    queue.add("d", "d1");
    expect(queue.take(1_000)?.item).toBe("d1");
    expect(queue.take(20_000)?.item).toBe("c2");
  });

  test("all keys share a concurrency of one", () => {
    const queue = new FairQueue<string>({ ...BOUNDS, concurrency: 1 });
    queue.add("a", "a1");
    queue.add("b", "b1");
    const first = queue.take(0);
    first?.done(5_000, 5_000);
    const second = queue.take(5_000);
    expect([first?.item, second?.item]).toEqual(["a1", "b1"]);
  });

  test("runs others while an item is paused, and the item when it resumes", () => {
    const queue = queueOf(["a", 5]);
    const [first, second] = [queue.take(0), queue.take(0)];
    first?.pause();
    first?.pause();
    expect([queue.take(0)?.item, queue.take(0)]).toEqual(["a3", undefined]);
    first?.resume();
    second?.done(0, 0);
    expect(queue.take(0)).toBeUndefined();
    first?.done(0, 0);
    expect(queue.take(0)?.item).toBe("a4");
  });

  test("limits a key to the number of places that it leaves free", () => {
    const queue = new FairQueue<string>({ ...BOUNDS, startedMax: 8, waitingMax: 100 });
    const started = (key: string): number => {
      for (let index = 0; index < 5; index += 1) queue.add(key, key);
      let count = 0;
      for (let turn = queue.take(0); turn; turn = queue.take(0)) {
        turn.pause();
        count += 1;
      }
      return count;
    };
    expect(["a", "b", "c", "d", "e"].map(started)).toEqual([4, 2, 1, 1, 0]);
  });

  test("limits its length, per key and in total", () => {
    const queue = new FairQueue<string>(BOUNDS);
    const add = (key: string, count: number): boolean[] =>
      Array.from({ length: count }, () => queue.add(key, key));
    expect(add("a", 6)).toEqual([true, true, true, true, true, false]);
    expect(add("b", 5)).toEqual([true, true, true, true, true]);
    expect(add("c", 1)).toEqual([false]);
    queue.take(0);
    expect(add("c", 2)).toEqual([true, false]);
  });

  test("drops a removed item", () => {
    const queue = queueOf(["a", 3]);
    const removed = [queue.remove("a", "a1"), queue.remove("a", "a9"), queue.remove("x", "a2")];
    expect(removed).toEqual([true, false, false]);
    expect(queue.take(0)?.item).toBe("a2");
    expect(queue.clear()).toEqual(["a3"]);
    expect(queue.take(0)).toBeUndefined();
  });
});
