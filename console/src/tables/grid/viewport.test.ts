import { expect, test } from "vitest";
import { columnsAt, edgesOf, originAt, rowsAt, scaleRows, scrollTo } from "./viewport.ts";

test("every row of a table that is taller than the browser's limit can be scrolled to and is rendered in view", () => {
  const [count, rowPx, viewPx] = [2_000_000, 28, 700];
  const scale = scaleRows(count, rowPx, viewPx);
  expect(scale.heightPx).toBeLessThan(17_000_000);
  for (const row of [0, 1, 999_999, count - 1]) {
    const topPx = scrollTo(scale, row, { topPx: 5_000_000, viewPx }) ?? 5_000_000;
    const { from, to } = rowsAt(scale, topPx, viewPx);
    expect(row).toBeGreaterThanOrEqual(from);
    expect(row).toBeLessThan(to);
    const origin = originAt(scale, from, topPx);
    const drawn = origin.topPx + (row - origin.row) * rowPx;
    expect(drawn).toBeGreaterThanOrEqual(topPx - 1);
    expect(drawn + rowPx).toBeLessThanOrEqual(topPx + viewPx + 1);
  }
});

test("a small table is scrolled pixel by pixel", () => {
  const scale = scaleRows(100, 28, 280);
  expect(scale).toMatchObject({ heightPx: 2800, factor: 1 });
  expect(rowsAt(scale, 280, 280)).toEqual({ from: 4, to: 27 });
  expect(scrollTo(scale, 12, { topPx: 280, viewPx: 280 })).toBeUndefined();
});

test("columns out of view are not rendered; frozen ones are rendered separately", () => {
  const edges = edgesOf(Array.from({ length: 50 }, () => 100));
  expect(columnsAt(edges, 1, { leftPx: 0, viewPx: 500 })).toEqual({ from: 1, to: 6 });
  expect(columnsAt(edges, 1, { leftPx: 2000, viewPx: 500 })).toEqual({ from: 20, to: 26 });
});
