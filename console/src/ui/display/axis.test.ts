import { expect, test } from "vitest";
import { toLabelled, toSpanTicks, toTicks } from "./axis.ts";

test("an axis has round marks and room for the largest value", () => {
  expect(toTicks(0)).toEqual([0, 1]);
  expect(toTicks(3)).toEqual([0, 1, 2, 3]);
  expect(toTicks(37)).toEqual([0, 10, 20, 30, 40]);
  expect(toTicks(1_234)).toEqual([0, 500, 1_000, 1_500]);
});

test("labels keep their distance", () => {
  expect(toLabelled(5, 640)).toEqual([0, 1, 2, 3, 4]);
  expect(toLabelled(30, 320)).toEqual([0, 6, 12, 18, 24]);
});

test("values below nothing have marks too", () => {
  expect(toSpanTicks(-3, 4)).toEqual([-3, -2, -1, 0, 1, 2, 3, 4]);
  expect(toSpanTicks(0, 4)).toEqual(toTicks(4));
});
