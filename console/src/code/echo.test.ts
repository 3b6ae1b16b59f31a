import fc from "fast-check";
import { expect, test } from "vitest";
import { Echo, smallestChange } from "./echo.ts";

const texts = fc.string({ maxLength: 4 });
/** What somebody does, and when React draws what it was told. */
const steps = fc.array(fc.constantFrom("type", "delete", "draw"));

test("whatever is typed while older texts are drawn stays, and is known in the end", () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (taken, isTypedOnly) => {
      const echo = new Echo();
      const waiting: string[] = [];
      let editor = "";
      let drawn = "";
      const draw = (): void => {
        const next = waiting.shift();
        if (next === undefined || next === drawn) return;
        drawn = next;
        const isOwn = echo.take(drawn);
        // Only a text that was there twice may be taken for somebody else's, and then the last one still comes.
        if (isTypedOnly) expect(isOwn).toBe(true);
        if (!isOwn) editor = drawn;
      };
      for (const step of taken) {
        if (step === "draw") draw();
        else if (step === "type" || !isTypedOnly) {
          editor = step === "type" ? `${editor}x` : editor.slice(0, -1);
          if (echo.note(editor, drawn)) waiting.push(editor);
        }
      }
      while (waiting.length > 0) draw();
      expect(drawn).toBe(editor);
      expect(echo.take(`${editor} by somebody else`)).toBe(false);
    }),
  );
});

test("the smallest change makes the one text of the other", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const { from, to, insert } = smallestChange(before, after);
      expect(before.slice(0, from) + insert + before.slice(to)).toBe(after);
    }),
  );
  expect(smallestChange("one two", "one, two")).toEqual({ from: 3, to: 3, insert: "," });
});
