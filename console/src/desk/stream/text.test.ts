import { expect, test } from "vitest";
import { foldQuote, splitText } from "./text.ts";

test("links, ticket numbers and mentions are detected; other text is not changed", () => {
  const text = "See https://a.example/x?y=1, INC0000012 and @Mara. <b>no</b> mail@b.example";
  const found = splitText(text);
  expect(found.map(({ text: one }) => one).join("")).toBe(text);
  expect(found.filter(({ sort }) => sort !== "text")).toEqual([
    { sort: "link", text: "https://a.example/x?y=1" },
    { sort: "ticket", text: "INC0000012" },
    { sort: "mention", text: "@Mara" },
  ]);
});

test("quoted history in an e-mail is collapsed, quotes within an answer are not", () => {
  expect(foldQuote("It works.\n\nOn Mon, 16 Nov 2026 Mara wrote:\n> Does it?")).toEqual({
    own: "It works.",
    quoted: "On Mon, 16 Nov 2026 Mara wrote:\n> Does it?",
  });
  expect(foldQuote("> Does it?\nYes.\n> And sound?\nNo.").quoted).toBe("");
  expect(foldQuote("Just text").own).toBe("Just text");
});
