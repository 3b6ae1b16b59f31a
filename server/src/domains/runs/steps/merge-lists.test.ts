import { expect, test } from "vitest";
import { mergeLists } from "./merge-lists.ts";

test("a merge stops before its pairs fill the memory", () => {
  const large = [{ key: 1, text: "x".repeat(500_000) }];
  const many = Array.from({ length: 10_000 }, (_, n) => ({ key: 1, n }));
  const lists = [large, many];
  const tooLarge = expect.objectContaining({ code: "output_too_large" });
  expect(() => mergeLists({ mode: "all_pairs", lists })).toThrow(tooLarge);
  expect(() => mergeLists({ mode: "by_key", lists, keys: ["key"] })).toThrow(tooLarge);
  const few = { mode: "all_pairs", lists: [large, many.slice(0, 2)] } as const;
  expect(mergeLists(few)).toHaveLength(2);
});
