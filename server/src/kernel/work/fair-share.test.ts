import { expect, test } from "vitest";
import { FairShare } from "./fair-share.ts";

/** Work that ends when it is told to. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const state = { begun: false };
  const run = () => {
    state.begun = true;
    return promise;
  };
  return { state, run, resolve, reject };
}

test("as many go at once as there are concurrency, but not all of one workspace while others may come", async () => {
  const turns = new FairShare(2);
  const [first, second, other] = [work(), work(), work()];
  const done = [turns.run("a", first.run), turns.run("a", second.run)];
  const between = turns.run("b", other.run);
  await new Promise(setImmediate);
  expect([first, second, other].map(({ state }) => state.begun)).toEqual([true, false, true]);
  first.resolve("1");
  other.resolve("2");
  second.resolve("3");
  expect(await Promise.all([...done, between])).toEqual(["1", "3", "2"]);
});

test("work that fails gives its turn back", async () => {
  const turns = new FairShare(1);
  const [failing, next] = [work(), work()];
  const failed = turns.run("a", failing.run);
  const after = turns.run("a", next.run);
  failing.reject(new Error("no"));
  await expect(failed).rejects.toThrow("no");
  next.resolve("yes");
  expect(await after).toBe("yes");
});

test("one workspace can only have so many waiting, and others still may", async () => {
  const turns = new FairShare(1);
  const held = work();
  const done = [turns.run("a", held.run)];
  for (let count = 0; count < 100; count += 1) done.push(turns.run("a", async () => ""));
  await expect(turns.run("a", async () => "")).rejects.toMatchObject({
    type: { status: 503 },
    particulars: { headers: { "retry-after": "1" } },
  });
  done.push(turns.run("b", async () => ""));
  held.resolve("");
  expect(await Promise.all(done)).toHaveLength(102);
});
