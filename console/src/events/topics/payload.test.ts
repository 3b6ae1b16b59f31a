import { expect, test } from "vitest";
import { guessSchema } from "./payload.ts";

test("a schema is guessed from flat payloads, and not from nested ones", () => {
  expect(
    guessSchema([
      { order: 1, paid: true },
      { order: 1.5, note: null },
    ]),
  ).toEqual({
    type: "object",
    properties: { order: { type: "number" }, paid: { type: "boolean" } },
  });
  expect(guessSchema([{ note: "a" }, { note: null }])).toEqual({
    type: "object",
    properties: { note: { type: "string" } },
  });
  expect(guessSchema([{ lines: [1] }])).toBeUndefined();
  expect(guessSchema([{ a: "x" }, { a: 1 }])).toBeUndefined();
  expect(guessSchema([])).toBeUndefined();
});
