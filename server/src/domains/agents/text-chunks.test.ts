import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText } from "./text-chunks.ts";

test("chunks are within the limit, start within the previous one, and together contain the text", () => {
  const end = fc.constantFrom("", ". ", "\n", "\n\n", " ", "🚲");
  fc.assert(
    fc.property(
      fc.array(end, { maxLength: 200 }),
      fc.integer({ min: 30, max: 300 }),
      fc.integer({ min: 0, max: 15 }),
      (ends, characters, overlap) => {
        // Numbers of equal length, so that each part of the text is unique.
        const text = ends.map((one, n) => `${10_000 + n}${one}`).join("");
        const chunks = cutText(text, { characters, overlap });
        let covered = 0;
        for (const [index, chunk] of chunks.entries()) {
          expect(chunk.length).toBeLessThanOrEqual(characters);
          expect(chunk.isWellFormed()).toBe(true);
          const least = Math.max(0, covered - overlap - 1);
          const isLast = index === chunks.length - 1;
          const from = isLast ? text.length - chunk.length : text.indexOf(chunk, least);
          expect(text.startsWith(chunk, from)).toBe(true);
          expect([from >= least, from <= covered]).toEqual([true, true]);
          covered = from + chunk.length;
        }
      },
    ),
  );
  expect(cutText("One. Two. Three. Four.", { characters: 12, overlap: 0 })).toEqual([
    "One. Two. ",
    "Three. Four.",
  ]);
});
