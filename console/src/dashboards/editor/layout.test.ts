import { expect, test } from "vitest";
import { COLUMNS, findRoom, packTiles, placeTile } from "./layout.ts";

const tile = (id: string, ...[x, y, w, h]: readonly [number, number, number, number]) => ({
  id,
  layout: { x, y, w, h },
});
const board = [tile("a", 0, 0, 6, 2), tile("b", 6, 0, 6, 2), tile("c", 0, 2, 12, 4)];

const cells = (tiles: readonly ReturnType<typeof tile>[]) =>
  tiles.flatMap(({ layout: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  );

test("tiles never overlap, wherever one is moved and whatever its size", () => {
  for (let n = 0; n < 200; n += 1) {
    const box = { x: (n * 5) % 14, y: (n * 3) % 9, w: 1 + ((n * 7) % 13), h: 1 + (n % 5) };
    const next = placeTile(board, board[n % 3]?.id ?? "", box);
    const all = cells(next);
    expect(new Set(all).size).toBe(all.length);
    expect(next.every(({ layout }) => layout.x >= 0 && layout.x + layout.w <= COLUMNS)).toBe(true);
    expect(next.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  }
});

test("space left by a tile is filled from below", () => {
  expect(
    packTiles([tile("a", 0, 5, 6, 2), tile("b", 0, 9, 6, 1)]).map(({ layout }) => layout.y),
  ).toEqual([0, 2]);
});

test("a new tile is placed in the first gap that fits", () => {
  expect(findRoom([tile("a", 0, 0, 6, 2)], { w: 6, h: 2 })).toEqual({ x: 6, y: 0, w: 6, h: 2 });
  expect(findRoom(board, { w: 4, h: 2 })).toEqual({ x: 0, y: 6, w: 4, h: 2 });
});
