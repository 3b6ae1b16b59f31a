import { expect, test } from "vitest";
import { isNestedDeeperThan } from "./json-depth.ts";

test("counts brackets and braces outside texts", () => {
  const nested = (depth: number): unknown =>
    depth === 0
      ? "[[{{\\"
      : depth % 2 === 0
        ? [nested(depth - 1), {}]
        : { "[{": nested(depth - 1) };
  for (const depth of [1, 3, 4, 5, 9]) {
    const text = JSON.stringify(nested(depth));
    expect([isNestedDeeperThan(text, depth), isNestedDeeperThan(text, depth - 1)]).toEqual([
      false,
      true,
    ]);
  }
  expect(isNestedDeeperThan(JSON.stringify("[".repeat(1_000)), 5)).toBe(false);
});

test("finds the closing quote of long texts", () => {
  for (const [length, inside] of [
    [1_000, "\\"],
    [1_001, '"'],
    [100, String.raw`[\"\\`],
    [100, 'x"{'],
  ] as const) {
    for (const begin of ["", "y".repeat(70)]) {
      const text = JSON.stringify([begin + inside.repeat(length), [inside]]);
      expect([isNestedDeeperThan(text, 2), isNestedDeeperThan(text, 1)]).toEqual([false, true]);
    }
  }
});
