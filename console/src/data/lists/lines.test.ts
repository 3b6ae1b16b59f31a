import { expect, test } from "vitest";
import { type Every, putLines, putWhole } from "./lines.ts";

interface Line {
  readonly id: string;
  readonly n: number;
}

const lines = (ids: string, n: number): Line[] => ids.split("").map((id) => ({ id, n }));
const whole = (ids: string, n: number, begunAt: number): Every<Line> => ({
  items: lines(ids, n),
  isCut: true,
  begunAt,
  linesBegunAt: new Map(),
});
const some = (asked: string, items: readonly Line[], begunAt: number) => ({
  asked: new Set(asked),
  items,
  begunAt,
});
const read = ({ items }: Every<Line>): string => items.map(({ id, n }) => `${id}${n}`).join(" ");

test("reloaded items change in place, new items come first, and deleted ones are removed", () => {
  const list = whole("abc", 1, 1);
  const next = putLines(list, some("bcd", lines("db", 2), 2));
  expect(read(next)).toBe("d2 a1 b2");
  expect(next.isCut).toBe(true);
  expect(next.items[1]).toBe(list.items[0]);
});

test("a list requested before an item and answered after it does not overwrite that item", () => {
  const list = putLines(whole("abc", 1, 1), some("bcd", lines("bd", 3), 3));
  expect(read(list)).toBe("d3 a1 b3");
  const late = putWhole(list, whole("abc", 2, 2));
  expect(read(late)).toBe("d3 a2 b3");
  // Requested after the items, so it wins.
  expect(read(putWhole(late, whole("ac", 4, 4)))).toBe("a4 c4");
  expect(read(putWhole(late, whole("ac", 1, 1)))).toBe(read(late));
  expect(putWhole(late, late)).toBe(late);
});

test("if an item is read twice, the read that started last wins, whichever is answered first", () => {
  const list = whole("ab", 1, 1);
  const newest = putLines(list, some("ab", lines("b", 3), 3));
  expect(read(newest)).toBe("b3");
  expect(putLines(newest, some("ab", lines("ab", 2), 2))).toBe(newest);
  const begunBefore = putLines(whole("ab", 5, 5), some("a", lines("a", 4), 4));
  expect(read(begunBefore)).toBe("a5 b5");
});
