import fc from "fast-check";
import { expect, test } from "vitest";
import { Echo, smallestChange } from "./echo.ts";

const texts = fc.string({ maxLength: 4 });
/** User edits interleaved with React renders. */
const steps = fc.array(fc.constantFrom("type", "delete", "draw", "skip"), { maxLength: 40 });

test("all edits survive renders of older texts, and the final text is reported", () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const echo = new Echo();
      const waiting: { readonly text: string; readonly count: number }[] = [];
      let editor = "";
      let drawn = "";
      const draw = (): void => {
        const next = waiting.shift();
        if (next === undefined) return;
        if (next.text !== drawn) {
          drawn = next.text;
          expect(echo.take(drawn)).toBe(true);
        }
        echo.settle(next.count);
      };
      const play = (step: string): void => {
        if (step === "draw") return draw();
        // React renders only the newest of several texts.
        if (step === "skip") return void waiting.splice(0, waiting.length - 1);
        editor = step === "type" ? `${editor}x` : editor.slice(0, -1);
        if (echo.note(editor, drawn)) waiting.push({ text: editor, count: echo.count });
      };
      for (const step of taken) play(step);
      while (waiting.length > 0) draw();
      expect(drawn).toBe(editor);
      for (const other of ["", "x", "xx", "by somebody else"]) {
        expect(echo.take(other)).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test("typing the same text again does not end the waiting", () => {
  const echo = new Echo();
  for (const text of ["[1", "[1]", "[1"]) echo.note(text, "");
  expect(["[1", "[1]", "[1"].map((text) => echo.take(text))).toEqual([true, true, true]);
  expect(echo.take("[1]")).toBe(false);
});

test("the smallest change converts one text to the other", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const { from, to, insert } = smallestChange(before, after);
      expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
    }),
  );
  expect(smallestChange("one two", "one, two")).toEqual({ from: 3, to: 3, insert: "," });
});
