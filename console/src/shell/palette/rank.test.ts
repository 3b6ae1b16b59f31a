import { expect, test } from "vitest";
import { rank } from "./rank.ts";

const best = (typed: string, texts: readonly string[]): string | undefined =>
  texts
    .filter((text) => rank(text, typed) >= 0)
    .toSorted((a, b) => rank(b, typed) - rank(a, typed))[0];

test("letters in order are found, others are not", () => {
  expect(rank("Settle the day", "std")).toBeGreaterThanOrEqual(0);
  expect(rank("Settle the day", "dts")).toBe(-1);
  expect(rank("anything", "")).toBeGreaterThanOrEqual(0);
});

test("what begins with it comes first, then what has a word that does", () => {
  expect(best("run", ["Prune records", "Go to runs", "Runs"])).toBe("Runs");
  expect(best("run", ["Prune records", "Go to runs"])).toBe("Go to runs");
});
