import { expect, test } from "vitest";
import { toHtml, toPlainText } from "./render-markdown.ts";

test("a workspace with many long texts does not keep another waiting for all of them", async () => {
  // Both threads have started.
  await Promise.all(["one", "two"].map((workspace) => toPlainText(workspace, "x ".repeat(1_000))));
  const order: string[] = [];
  const read = async (workspace: string) => {
    expect(await toPlainText(workspace, "*word* ".repeat(1_000))).toBe(
      "word ".repeat(1_000).trim(),
    );
    order.push(workspace);
  };
  await Promise.all(["busy", "busy", "busy", "quiet"].map(read));
  expect(order.indexOf("quiet")).toBeLessThan(2);
});

test("long texts are rendered like short ones", async () => {
  const word = "a".repeat(5_000);
  expect(await toHtml("any", `**${word}**`)).toBe(`<p><strong>${word}</strong></p>\n`);
  expect(await toHtml("any", "**a**")).toBe("<p><strong>a</strong></p>\n");
});
