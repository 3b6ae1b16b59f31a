import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText } from "./text-chunks.ts";

test("chunks are short enough, and together they are the text", () => {
  const word = fc.constantFrom("mill", "race. ", "\n", "\n\n", " ", "🚲", "a".repeat(40));
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 200 }),
      fc.integer({ min: 10, max: 300 }),
      fc.integer({ min: 0, max: 150 }),
      (words, characters, overlap) => {
        const text = words.join("");
        const chunks = cutText(text, { characters, overlap });
        let end = 0;
        for (const chunk of chunks) {
          expect(chunk.length).toBeLessThanOrEqual(characters);
          // It begins at the end of what there is, or within it.
          const from = [...Array(Math.min(overlap + 1, end) + 1).keys()]
            .map((back) => end - back)
            .find((at) => text.startsWith(chunk, at) && at + chunk.length >= end);
          expect(from).toBeDefined();
          end = (from ?? 0) + chunk.length;
        }
        expect(end).toBe(text.length);
      },
    ),
  );
  expect(cutText("One. Two. Three. Four.", { characters: 12, overlap: 0 })).toEqual([
    "One. Two. ",
    "Three. Four.",
  ]);
});
