import { expect, test } from "vitest";
import { findFolded, foldText } from "./fold.ts";

const marked = (text: string, words: string): string | undefined => {
  const found = findFolded(text, words);
  return found && text.slice(found.from, found.to);
};

test("texts are compared without case and diacritics", () => {
  expect(["İlkay", "ILKAY", "ilkay"].map(foldText)).toEqual(["ilkay", "ilkay", "ilkay"]);
  expect(foldText("Müller")).toBe("muller");
});

test("matches are marked at their position in the original text, even if normalization changes its length", () => {
  expect(marked("Of İİ Öztürk", "oztur")).toBe("Öztür");
  expect(marked("Mail to Žofie", "žof")).toBe("Žof");
  expect(marked("e\u0301te\u0301", "te")).toBe("te\u0301");
  expect(marked("👩‍💻 Desk", "desk")).toBe("Desk");
  expect(marked("Desk", "mail")).toBeUndefined();
  expect(marked("Desk", "")).toBeUndefined();
});
