import { expect, test } from "vitest";
import { type HeldRow, holdRows, nextAfter } from "./hold.ts";

interface Row {
  readonly id: string;
}
type Held = readonly HeldRow<Row>[];

const rows = (...ids: readonly string[]): readonly Row[] => ids.map((id) => ({ id }));
const shown = (held: Held) =>
  held.map(({ row, isLeaving }) => (isLeaving ? `(${row.id})` : row.id));
const holdOpen = (now: readonly Row[], before: Held, openId: string | undefined): Held =>
  holdRows(now, before, { openId, keepsOrder: false }).rows;
const keep = (now: readonly Row[], before: Held, openId?: string) =>
  holdRows(now, before, { openId, keepsOrder: true });

test("the open row stays in place when it no longer matches, and is removed when the user leaves it", () => {
  const first = holdOpen(rows("a", "b", "c"), [], "b");
  const second = holdOpen(rows("c", "d"), first, "b");
  expect(shown(second)).toEqual(["c", "(b)", "d"]);
  expect(shown(holdOpen(rows("c", "d"), second, "b"))).toEqual(["c", "(b)", "d"]);
  expect(shown(holdOpen(rows("c", "d"), second, "d"))).toEqual(["c", "d"]);
  expect(shown(holdOpen(rows("c"), [], "unknown"))).toEqual(["c"]);
});

test("the next row is the one below, or above at the end, and rows that no longer match are skipped", () => {
  const held = holdOpen(rows("a", "c"), holdOpen(rows("a", "b", "c"), [], "b"), "b");
  expect(nextAfter(held, "b")?.id).toBe("c");
  expect(nextAfter(held, "c")?.id).toBe("a");
  expect(nextAfter(holdOpen(rows("a"), [], "a"), "a")).toBeUndefined();
});

test("known rows keep their order, and a new order is reported", () => {
  const before = holdOpen(rows("a", "b", "c", "d"), [], "b");
  const held = keep(rows("a", "c", "d", "b"), before, "b");
  expect(shown(held.rows)).toEqual(["a", "b", "c", "d"]);
  expect(held.isReordered).toBe(true);
  expect(nextAfter(held.rows, "b")?.id).toBe("c");
  const same = keep(rows("a", "b", "c", "d"), held.rows, "c");
  expect([shown(same.rows), same.isReordered]).toEqual([["a", "b", "c", "d"], false]);
});

test("new rows are inserted at their server position, and rows that no longer match are removed", () => {
  const before = holdOpen(rows("a", "b", "c"), [], "b");
  const held = keep(rows("new", "a", "c", "late", "more"), before, "b");
  expect(shown(held.rows)).toEqual(["new", "a", "(b)", "c", "late", "more"]);
  expect(held.isReordered).toBe(false);
  // The row that was open is removed when the next one opens, even if others moved.
  expect(shown(keep(rows("c", "a"), held.rows, "c").rows)).toEqual(["a", "c"]);
});
