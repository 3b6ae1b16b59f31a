import { expect, test } from "vitest";
import { foldQuote, splitText } from "./text.ts";

test("links, numbers of tickets and people are found; nothing else is touched", () => {
  const text = "See https://a.example/x?y=1, INC0000012 and @Mara. <b>no</b> mail@b.example";
  const found = splitText(text);
  expect(found.map(({ text: one }) => one).join("")).toBe(text);
  expect(found.filter(({ sort }) => sort !== "text")).toEqual([
    { sort: "link", text: "https://a.example/x?y=1" },
    { sort: "ticket", text: "INC0000012" },
    { sort: "mention", text: "@Mara" },
  ]);
});

test("what a mail repeats is folded, what somebody quotes to answer is not", () => {
  expect(foldQuote("It works.\n\nOn Mon, 16 Nov 2026 Mara wrote:\n> Does it?")).toEqual({
    own: "It works.",
    quoted: "On Mon, 16 Nov 2026 Mara wrote:\n> Does it?",
  });
  expect(foldQuote("> Does it?\nYes.\n> And sound?\nNo.").quoted).toBe("");
  expect(foldQuote("Just text").own).toBe("Just text");
});
