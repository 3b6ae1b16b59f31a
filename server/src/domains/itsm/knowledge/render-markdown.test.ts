import { expect, test } from "vitest";
import { toHtml, toPlainText } from "./render-markdown.ts";

test("a workspace with many long texts does not keep another waiting for all of them", async () => {
  const order: string[] = [];
  const read = async (workspace: string) => {
    expect(await toPlainText(workspace, "*word* ".repeat(1_000))).toBe(
      "word ".repeat(1_000).trim(),
    );
    order.push(workspace);
  };
  await Promise.all(["busy", "busy", "busy", "quiet"].map(read));
  expect(order).toEqual(["busy", "quiet", "busy", "busy"]);
});

test("long texts are rendered like short ones", async () => {
  const word = "a".repeat(5_000);
  expect(await toHtml("any", `**${word}**`)).toBe(`<p><strong>${word}</strong></p>\n`);
  expect(await toHtml("any", "**a**")).toBe("<p><strong>a</strong></p>\n");
});
