import { expect, test } from "vitest";
import { KeyedQueue } from "./admission.ts";

test("work with one key runs in order, also after failures; work with other keys runs in parallel", async () => {
  const queue = new KeyedQueue();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const work =
    (name: string, until: Promise<void> = Promise.resolve()) =>
    async () => {
      await until;
      done.push(name);
      return name;
    };
  const all = Promise.allSettled([
    queue.run("a", work("a1", first.promise)),
    queue.run("a", async () => {
      done.push("a2");
      throw new Error("It broke.");
    }),
    queue.run("a", work("a3")),
  ]);
  expect(await queue.run("b", work("b1"))).toBe("b1");
  expect(done).toEqual(["b1"]);
  first.resolve();
  expect((await all).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(done).toEqual(["b1", "a1", "a2", "a3"]);
});
