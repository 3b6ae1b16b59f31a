import { expect, test } from "vitest";
import { putLines } from "./lines.ts";

test("lines that were read again change in place, new ones come first, and what is gone is gone", () => {
  const list = { items: ["a", "b", "c"].map((id) => ({ id, n: 1 })), isCut: true };
  const next = putLines(list, new Set(["b", "c", "d"]), [
    { id: "d", n: 2 },
    { id: "b", n: 2 },
  ]);
  expect(next).toEqual({
    items: [
      { id: "d", n: 2 },
      { id: "a", n: 1 },
      { id: "b", n: 2 },
    ],
    isCut: true,
  });
  expect(next.items[1]).toBe(list.items[0]);
});
