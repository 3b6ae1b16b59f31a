import { expect, test } from "vitest";
import { toHtml, toPlainText } from "./render-markdown.ts";

test("a workspace with many long texts does not block another workspace", async () => {
  // Both threads have started.
  await Promise.all(["one", "two"].map((workspace) => toPlainText(workspace, "x ".repeat(1_000))));
  const order: string[] = [];
  const read = async (workspace: string, words: number) => {
    const text = await toPlainText(workspace, "*word* ".repeat(words));
    expect(text).toBe("word ".repeat(words).trim());
    order.push(workspace);
  };
  const busy = Array.from({ length: 12 }, () => read("busy", 4_000));
  await Promise.all([...busy, read("quiet", 1_000)]);
  expect(order.indexOf("quiet")).toBeLessThan(busy.length);
});

test("long texts are rendered like short ones", async () => {
  const word = "a".repeat(5_000);
  expect(await toHtml("any", `**${word}**`)).toBe(`<p><strong>${word}</strong></p>\n`);
  expect(await toHtml("any", "**a**")).toBe("<p><strong>a</strong></p>\n");
});
