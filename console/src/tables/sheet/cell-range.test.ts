import { expect, test } from "vitest";
import { at, boxOf, moveBy, sizeOf, tabBy } from "./cell-range.ts";

const EXTENT = { rows: 1000, columns: 5 };
const press = (key: string, shiftKey = false, mod = false) => ({ key, shiftKey, mod });

test("arrow keys move and stop at the edges, shift extends the range, control jumps to the edge", () => {
  const start = at(0, 0);
  expect(moveBy(start, press("ArrowUp"), EXTENT, 20)).toEqual(start);
  const grown = moveBy(at(2, 1), press("ArrowDown", true), EXTENT, 20);
  expect(grown && sizeOf(boxOf(grown))).toEqual({ rows: 2, columns: 1 });
  expect(moveBy(start, press("End", false, true), EXTENT, 20)).toEqual(at(999, 4));
  const all = moveBy(start, press("End", true, true), EXTENT, 20);
  expect(all && sizeOf(boxOf(all))).toEqual(EXTENT);
  expect(moveBy(start, press("PageDown"), EXTENT, 20)).toEqual(at(20, 0));
  expect(moveBy(start, press("a"), EXTENT, 20)).toBeUndefined();
});

test("tab wraps to the next row, and leaves the grid after the last cell", () => {
  expect(tabBy(at(0, 4), 1, EXTENT)).toEqual(at(1, 0));
  expect(tabBy(at(1, 0), -1, EXTENT)).toEqual(at(0, 4));
  expect(tabBy(at(999, 4), 1, EXTENT)).toBeUndefined();
});
