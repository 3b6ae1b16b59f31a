import { expect, test } from "vitest";
import { insertText, prefixLines, spellFile, type TextEdit, wrapSelection } from "./text-edit.ts";

const apply = (text: string, edit: TextEdit): string =>
  text.slice(0, edit.from) + edit.text + text.slice(edit.to);

test("marks are added around the selection and removed again, and the words stay selected", () => {
  const text = "Turn it on.";
  const bold = wrapSelection({ text, from: 5, to: 7 }, "**", "bold");
  const marked = apply(text, bold);
  expect(marked).toBe("Turn **it** on.");
  const [from, to] = bold.select;
  expect(marked.slice(from, to)).toBe("it");
  expect(apply(marked, wrapSelection({ text: marked, from, to }, "**", "bold"))).toBe(text);
  expect(apply("", wrapSelection({ text: "", from: 0, to: 0 }, "`", "code"))).toBe("`code`");
});

test("complete lines are formatted as lists and numbered lists, and back", () => {
  const text = "Quit it\nStart it\nThe end";
  const numbered = apply(text, prefixLines({ text, from: 3, to: 12 }, "1. "));
  expect(numbered).toBe("1. Quit it\n2. Start it\nThe end");
  expect(apply(numbered, prefixLines({ text: numbered, from: 0, to: 14 }, "1. "))).toBe(text);
  expect(apply("a", prefixLines({ text: "a", from: 1, to: 1 }, "## "))).toBe("## a");
});

test("a template starts on its own line; images are embedded and other files are linked", () => {
  const text = "Before";
  expect(apply(text, insertText({ text, from: 6, to: 6 }, "## Cause", true))).toBe(
    "Before\n\n## Cause",
  );
  expect(spellFile("a[1].png", "image/png", "file_1")).toBe("![a 1 .png](file_1)");
  expect(spellFile("form.pdf", "application/pdf", "file_2")).toBe("[form.pdf](file_2)");
});
