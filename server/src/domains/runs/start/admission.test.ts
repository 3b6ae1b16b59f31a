import { expect, test } from "vitest";
import { KeyedQueue } from "./admission.ts";

test("what has the same name is done in the order in which it came, whatever fails; the rest goes beside it", async () => {
  const turns = new KeyedQueue();
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
    turns.after("a", work("a1", first.promise)),
    turns.after("a", async () => {
      done.push("a2");
      throw new Error("It broke.");
    }),
    turns.after("a", work("a3")),
  ]);
  expect(await turns.after("b", work("b1"))).toBe("b1");
  expect(done).toEqual(["b1"]);
  first.resolve();
  expect((await all).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(done).toEqual(["b1", "a1", "a2", "a3"]);
});
