import { expect, test } from "vitest";
import { toArticle } from "./known-error-article.ts";

test("an article contains the known facts without empty sections, and has the problem's number as tag", () => {
  const article = toArticle({
    number: "PRB0000007",
    title: "Printer offline",
    description: "",
    rootCause: "The queue is lost",
    workaround: "Switch it off\nand on.",
  });
  expect(article).toEqual({
    title: "Printer offline",
    summary: "Switch it off and on.",
    body: "## Cause\n\nThe queue is lost\n\n## Workaround\n\nSwitch it off\nand on.\n",
    tags: ["known-error", "prb0000007"],
  });
});
