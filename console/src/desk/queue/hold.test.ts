import { expect, test } from "vitest";
import { holdOpen, nextAfter } from "./hold.ts";

const rows = (...ids: readonly string[]) => ids.map((id) => ({ id }));
const shown = (held: ReturnType<typeof holdOpen>) =>
  held.map(({ row, isLeaving }) => (isLeaving ? `(${row.id})` : row.id));

test("the open row stays at its place when it no longer fits, and goes when it is left", () => {
  const first = holdOpen(rows("a", "b", "c"), [], "b");
  const second = holdOpen(rows("c", "d"), first, "b");
  expect(shown(second)).toEqual(["c", "(b)", "d"]);
  expect(shown(holdOpen(rows("c", "d"), second, "b"))).toEqual(["c", "(b)", "d"]);
  expect(shown(holdOpen(rows("c", "d"), second, "d"))).toEqual(["c", "d"]);
  expect(shown(holdOpen(rows("c"), [], "unknown"))).toEqual(["c"]);
});

test("the next one is the one below; at the end the one above; never one that leaves", () => {
  const held = holdOpen(rows("a", "c"), holdOpen(rows("a", "b", "c"), [], "b"), "b");
  expect(nextAfter(held, "b")?.id).toBe("c");
  expect(nextAfter(held, "c")?.id).toBe("a");
  expect(nextAfter(holdOpen(rows("a"), [], "a"), "a")).toBeUndefined();
});
