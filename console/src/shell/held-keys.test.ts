import { expect, test } from "vitest";
import { HeldKeys } from "./held-keys.ts";

function stage(acts: Set<string>) {
  const done: string[] = [];
  const held = new HeldKeys<{ timeStamp: number }>(
    (_, keys) => acts.has(keys) && done.push(keys) > 0,
  );
  return { held, done };
}

test("shortcuts wait for their actions and run in order", () => {
  const acts = new Set<string>();
  const { held, done } = stage(acts);
  for (const [n, key] of ["g", "r", "j", "j"].entries()) held.add({ timeStamp: n }, key);
  held.release(10);
  expect(done).toEqual([]);
  acts.add("g r");
  held.release(20);
  held.release(30);
  expect(done).toEqual(["g r"]);
  acts.add("j");
  held.release(40);
  held.release(50);
  expect([done, held.isEmpty]).toEqual([["g r", "j", "j"], true]);
});

test("only few shortcuts are held, for a short time, and dropped when the user navigates", () => {
  const acts = new Set(["j"]);
  const { held, done } = stage(acts);
  for (let n = 0; n < 20; n += 1) held.add({ timeStamp: 1 }, "j");
  for (let n = 0; n < 20; n += 1) held.release(100);
  expect(done).toHaveLength(8);
  held.add({ timeStamp: 1 }, "j");
  held.release(5_001);
  expect([done.length, held.isEmpty]).toEqual([8, true]);
  held.add({ timeStamp: 5_001 }, "x");
  held.add({ timeStamp: 5_001 }, "j");
  held.release(5_002);
  expect(done).toHaveLength(8);
  held.release(5_002, true);
  held.release(5_002, true);
  expect([done.length, held.isEmpty]).toEqual([9, true]);
  held.add({ timeStamp: 5_001 }, "j");
  held.drop();
  held.release(5_002);
  expect(done).toHaveLength(9);
});
