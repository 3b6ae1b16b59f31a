import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, pairLines } from "./line-diff.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "c", "", "{"), { maxLength: 12 })
  .map((lines) => lines.join("\n"));

test("both texts can be reconstructed from their difference", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const read = (without: string): string =>
        lines
          .filter(({ kind }) => kind !== without)
          .map((line) => line.text)
          .join("\n");
      expect(read("new")).toBe(before);
      expect(read("gone")).toBe(after);
    }),
  );
});

test("the difference is minimal, with line numbers", () => {
  expect(diffLines("a\nb\nc", "a\nx\nc")).toEqual([
    { kind: "same", text: "a", before: 1, after: 1 },
    { kind: "gone", text: "b", before: 2 },
    { kind: "new", text: "x", after: 2 },
    { kind: "same", text: "c", before: 3, after: 3 },
  ]);
  expect(pairLines(diffLines("a\nb\nc", "a\nx\ny\nc"))).toHaveLength(4);
});

test("two long texts without common lines are a single replaced block", () => {
  const many = (word: string): string =>
    Array.from({ length: 4_000 }, (_, n) => word + n).join("\n");
  const lines = diffLines(many("a"), many("b"));
  expect(lines.filter(({ kind }) => kind === "gone")).toHaveLength(4_000);
});
