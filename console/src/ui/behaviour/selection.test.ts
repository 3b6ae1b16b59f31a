import { expect, test } from "vitest";
import { keepListed, NOTHING, selectRange, toggleOne } from "./selection.ts";

const ORDER = ["a", "b", "c", "d", "e"];
const names = (selection: { readonly ids: ReadonlySet<string> }): string =>
  [...selection.ids].toSorted().join("");

test("a range starts at the last selected row, in both directions, and keeps earlier selections", () => {
  const one = toggleOne(NOTHING, "c");
  expect(names(selectRange(one, ORDER, "e"))).toBe("cde");
  expect(names(selectRange(selectRange(one, ORDER, "e"), ORDER, "a"))).toBe("abcde");
  expect(names(selectRange(NOTHING, ORDER, "b"))).toBe("b");
});

test("rows are selected and deselected; rows that left the list are removed from the selection", () => {
  expect(names(toggleOne(toggleOne(NOTHING, "c"), "c"))).toBe("");
  const some = selectRange(toggleOne(NOTHING, "a"), ORDER, "d");
  expect(names(keepListed(some, ["b", "d", "x"]))).toBe("bd");
  expect(keepListed(some, ORDER)).toBe(some);
});
