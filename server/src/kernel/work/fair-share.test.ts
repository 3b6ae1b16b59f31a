import { expect, test } from "vitest";
import { FairShare } from "./fair-share.ts";

/** Work that ends on demand. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const state = { begun: false };
  const run = () => {
    state.begun = true;
    return promise;
  };
  return { state, run, resolve, reject };
}

test("uses the whole concurrency, but not for one workspace while others can come", async () => {
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

test("failed work releases its slot", async () => {
  const turns = new FairShare(1);
  const [failing, next] = [work(), work()];
  const failed = turns.run("a", failing.run);
  const after = turns.run("a", next.run);
  failing.reject(new Error("no"));
  await expect(failed).rejects.toThrow("no");
  next.resolve("yes");
  expect(await after).toBe("yes");
});

test("limits the waiting work per workspace without affecting others", async () => {
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
