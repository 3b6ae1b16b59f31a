import { describe, expect, test } from "vitest";
import { loadMarkdown } from "./markdown.ts";

const reader = await loadMarkdown();

const REL = 'rel="noopener noreferrer nofollow"';

describe("Markdown is rendered as sanitized HTML", () => {
  test.each([
    ["HTML", "<script>alert(1)</script>"],
    ["a handler", '<img src=x onerror="alert(1)">'],
    ["HTML in a row", "a <svg/onload=alert(1)> b"],
    ["a script address", "[x](javascript:alert(1))"],
    ["one in capitals", "[x](JaVaScRiPt:alert(1))"],
    ["one by entities", "[x](&#106;avascript&colon;alert(1))"],
    ["one with a tab", "[x](java&Tab;script:alert(1))"],
    ["one with a line break", "[x](<java\nscript:alert(1)>)"],
    ["one behind a control character", "[x](\u0001javascript:alert(1))"],
    ["one by reference", "[x]\n\n[x]: javascript:alert(1)"],
    ["one as an automatic link", "<javascript:alert(1)>"],
    ["a VBScript address", "[x](vbscript:msgbox(1))"],
    ["data", "[x](data:text/html;base64,PHNjcmlwdD4=)"],
    ["a picture of data", "![x](data:image/svg+xml;base64,PHN2Zz4=)"],
    ["a file", "[x](file:///etc/passwd)"],
    ["another host without a scheme", "[x](//evil.example/a)"],
    ["a way out of an attribute", '[x](https://a.example/"onmouseover="alert(1))'],
    ["a way out of a title", "[x](https://a.example 'a\"onmouseover=\"alert(1)')"],
    ["a way out of an alternative text", '![" onerror="alert(1)](https://a.example/b.png)'],
    ["a way out of a language", '```"><script>alert(1)</script>\ncode\n```'],
  ])("of %s", (_, markdown) => {
    const html = reader.toHtml(markdown);
    // The rest is text: no HTML tags from the input, and attribute values are quoted.
    const tags = html.match(/<[^>]*>/g) ?? [];
    expect(
      tags.filter((tag) => !/^<\/?(p|a|img|pre|code|em|strong)( [a-z]+="[^"]*")*>$/.test(tag)),
    ).toEqual([]);
    const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(
      ([, address = ""]) => address,
    );
    expect(addresses.filter((address) => !/^https:\/\/a\.example(\/|$)/.test(address))).toEqual([]);
    expect(tags.some((tag) => / on\w+=/.test(tag.replaceAll(/"[^"]*"/g, "")))).toBe(false);
  });

  test("Markdown links lead to the web, to e-mail addresses and within our pages", () => {
    const links =
      "[a](https://a.example) [b](http://b.example) [c](mailto:c@d.example) [d](/e?f#g)";
    expect(reader.toHtml(links)).toBe(
      `<p><a href="https://a.example" ${REL}>a</a> <a href="http://b.example" ${REL}>b</a> ` +
        `<a href="mailto:c@d.example" ${REL}>c</a> <a href="/e?f#g" ${REL}>d</a></p>\n`,
    );
    expect(reader.toHtml("see https://a.example.")).toBe(
      `<p>see <a href="https://a.example" ${REL}>https://a.example</a>.</p>\n`,
    );
  });

  test("shows Markdown images with encrypted or relative URLs and replaces other images with alternative text", () => {
    const picture = 'referrerpolicy="no-referrer" loading="lazy"';
    expect(reader.toHtml("![A](https://a.example/b.png) ![C](/d.png)")).toBe(
      `<p><img src="https://a.example/b.png" alt="A" ${picture}> ` +
        `<img src="/d.png" alt="C" ${picture}></p>\n`,
    );
    expect(reader.toHtml("![An <b>apple](http://a.example/b.png)")).toBe(
      "<p>An &lt;b&gt;apple</p>\n",
    );
  });
});

test("the plain text of Markdown contains the readable words", () => {
  const markdown =
    "# Reset *it*\n\n1. Press **Reset**\n2. Wait\nlonger\n\n```sh\nreboot now\n```\n\n" +
    "| a | b |\n|---|---|\n| c | [d](https://e.example) |\n\n> `quoted` ![shown](/f.png)";
  expect(reader.toPlainText(markdown)).toBe(
    "Reset it\nPress Reset\nWait longer\nreboot now\n\na\nb\nc\nd\nquoted shown",
  );
});
