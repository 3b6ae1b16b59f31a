import { expect, test } from "vitest";
import { rank, rankEntry } from "./rank.ts";

const best = (typed: string, texts: readonly string[]): string | undefined =>
  texts
    .filter((text) => rank(text, typed) >= 0)
    .toSorted((a, b) => rank(b, typed) - rank(a, typed))[0];

test("texts that contain the letters in order match, others do not", () => {
  expect(rank("Settle the day", "std")).toBeGreaterThanOrEqual(0);
  expect(rank("Settle the day", "dts")).toBe(-1);
  expect(rank("anything", "")).toBeGreaterThanOrEqual(0);
});

test("ranks text prefix matches first, then word prefix matches", () => {
  expect(best("run", ["Prune records", "Go to runs", "Runs"])).toBe("Runs");
  expect(best("run", ["Prune records", "Go to runs"])).toBe("Go to runs");
});

test("a search result ranks between visible matches and scattered letters", () => {
  const score = (label: string, isFound: boolean): number => rankEntry({ label, isFound }, "jam");
  expect(score("Paper in the tray", true)).toBeLessThan(score("Door jams", false));
  expect(score("Paper in the tray", true)).toBeGreaterThan(score("Join a meeting", false));
  expect(score("Paper in the tray", false)).toBe(-1);
  expect(rankEntry({ label: "Ada", also: "usr_7" }, "usr_7")).toBeGreaterThan(60);
});
