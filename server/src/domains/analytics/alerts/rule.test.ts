import { expect, test } from "vitest";
import { judgeValue } from "./rule.ts";

const weeks = [100, 104, 98, 101, 99, 103, 97, 102];

test.each([
  [100, false],
  [112, false],
  [140, true],
  [60, true],
])("%d among weeks of about a hundred is unusual: %s", (value, isBad) => {
  expect(judgeValue({ kind: "unusual" }, value, weeks).isBad).toBe(isBad);
});

test("does not report anomalies without enough weeks of history", () => {
  expect(judgeValue({ kind: "unusual" }, 900, [100, null, null, 100, 0, 0, 0, 0]).isBad).toBe(
    false,
  );
});

test("a value equal to the threshold is neither above nor below", () => {
  const judge = (kind: "above" | "below", value: number | null) =>
    judgeValue({ kind, threshold: 5 }, value, []).isBad;
  expect([judge("above", 5), judge("above", 5.1), judge("below", 5), judge("below", 4)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  expect(judge("below", null)).toBe(false);
});

test("no data is a missing value, or a count of zero", () => {
  const judge = (value: number | null) => judgeValue({ kind: "no_data" }, value, []).isBad;
  expect([judge(null), judge(0), judge(3)]).toEqual([true, true, false]);
});
