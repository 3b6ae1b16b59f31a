import { expect, test } from "vitest";
import {
  arrange,
  type Arrangement,
  FIRST_MAX,
  hide,
  move,
  ORIGINAL,
  pin,
  readArrangement,
  unpin,
} from "./arrangement.ts";

const LETTERS = "abcdefghijkl".split("");
const used = (ids: readonly string[], unused: readonly string[] = []) => [
  ...ids.map((id) => ({ id, isUsed: true })),
  ...unused.map((id) => ({ id, isUsed: false })),
];
const firstOf = (candidates: ReturnType<typeof used>, to: Arrangement): string =>
  arrange(candidates, to)
    .first.map(({ id }) => id)
    .join("");
const moreOf = (candidates: ReturnType<typeof used>, to: Arrangement): string =>
  arrange(candidates, to)
    .more.map(({ id }) => id)
    .join("");

test("at most nine entries are first; the others are under More", () => {
  expect(firstOf(used(LETTERS), ORIGINAL)).toBe("abcdefghi");
  expect(moreOf(used(LETTERS), ORIGINAL)).toBe("jkl");
});

test("areas in which the user has no work are under More, unless the user has no work in any area", () => {
  expect(firstOf(used(["a", "b"], ["c"]), ORIGINAL)).toBe("ab");
  expect(moreOf(used(["a", "b"], ["c"]), ORIGINAL)).toBe("c");
  expect(firstOf(used(["a"], ["b", "c"]), ORIGINAL)).toBe("abc");
});

test("a pinned entry is first, and the last unpinned one makes room", () => {
  const pinned = pin(ORIGINAL, "l");
  expect(firstOf(used(LETTERS), pinned)).toBe("abcdefghl");
  expect(firstOf(used(["a", "b"], ["c"]), pin(ORIGINAL, "c"))).toBe("abc");
  expect(firstOf(used(LETTERS), unpin(pinned, "l"))).toBe("abcdefghi");
  const all = LETTERS.reduce((to, id) => pin(to, id), ORIGINAL);
  expect(firstOf(used(LETTERS), all)).toHaveLength(FIRST_MAX);
});

test("shows hidden entries under More until pinned", () => {
  const hidden = hide(ORIGINAL, "a");
  expect(firstOf(used(["a", "b", "c"]), hidden)).toBe("bc");
  expect(moreOf(used(["a", "b", "c"]), hidden)).toBe("a");
  expect(firstOf(used(["a", "b", "c"]), pin(hidden, "a"))).toBe("abc");
});

test("moves an entry by one position and stops at the first and last position", () => {
  const first = ["a", "b", "c"];
  const moved = move(ORIGINAL, first, { id: "c", by: -1 });
  expect(firstOf(used(first), moved)).toBe("acb");
  expect(firstOf(used(first), move(moved, ["a", "c", "b"], { id: "a", by: 1 }))).toBe("cab");
  expect(move(ORIGINAL, first, { id: "a", by: -1 })).toBe(ORIGINAL);
  expect(move(ORIGINAL, first, { id: "c", by: 1 })).toBe(ORIGINAL);
});

test("an area that is new in a release is placed after those that the user sorted", () => {
  const ordered = move(ORIGINAL, ["a", "b"], { id: "b", by: -1 });
  expect(firstOf(used(["new", "a", "b"]), ordered)).toBe("banew");
});

test("stored values of any shape are parsed", () => {
  expect(readArrangement(undefined)).toEqual(ORIGINAL);
  expect(readArrangement("x")).toEqual(ORIGINAL);
  expect(readArrangement({ order: ["a", 1, "a", "b"], pinned: {}, hidden: null })).toEqual({
    order: ["a", "b"],
    pinned: [],
    hidden: [],
  });
  expect(
    readArrangement({ order: Array.from({ length: 500 }, (_, n) => String(n)) }).order,
  ).toHaveLength(100);
});
