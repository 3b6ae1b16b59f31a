import { expect, test } from "vitest";
import { encodeInTurns, isLongText } from "./encode-text.ts";

/** Characters of one to four bytes, so that chunks end inside them. */
const MIXED = "aé€😀";

test.each([
  ["a short text", MIXED],
  ["a long text of one byte each", "x".repeat(1_000_001)],
  ["a long text of mixed characters", MIXED.repeat(300_000)],
  ["a long text that begins between two code units", `a${"😀".repeat(400_000)}`],
  ["a long text with half a character at its end", `${MIXED.repeat(200_000)}\ud83d`],
  ["a long text of halves", "\ud83d".repeat(600_000)],
])("encodes %s like Buffer.from", async (_, text) => {
  expect((await encodeInTurns(text)).equals(Buffer.from(text))).toBe(true);
});

test("a text of half a million characters is long", () => {
  expect([isLongText("x".repeat(500_000)), isLongText("x".repeat(500_001))]).toEqual([false, true]);
});
