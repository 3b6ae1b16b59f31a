/**
 * Markdown of people as elements, never as HTML: only the tags below come out of it, a link leads to the
 * web, to mail or within our own pages, and pictures are the words that describe them.
 */
import type { MarkdownIt, Token } from "markdown-it";
import { type Child, h, type VNode } from "./browser/vnode.ts";

const TAGS = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s hr br table thead tbody tr th td a".split(
    " ",
  ),
);

/** As much as a page may hold itself; what data adds to it is cut off there. */
const CHARACTERS_MAX = 50_000;

let loading: Promise<MarkdownIt> | undefined;

export async function markdownOf(text: string): Promise<VNode[]> {
  loading ??= load();
  const reader = await loading;
  return elementsOf(reader.parse(text.slice(0, CHARACTERS_MAX), {})).map((child) =>
    typeof child === "string" ? h("p", {}, child) : child,
  );
}

/** Made when it is first needed: most processes never render anything. */
async function load(): Promise<MarkdownIt> {
  const { default: Reader } = await import("markdown-it");
  const reader = new Reader({ html: false, linkify: true });
  reader.validateLink = (url) => {
    const [scheme] = /^[a-z][a-z0-9+.-]*:/i.exec(url) ?? [];
    if (scheme !== undefined) return ["http:", "https:", "mailto:"].includes(scheme.toLowerCase());
    // Without a scheme but with a host it would lead elsewhere.
    return !/^[/\\\s]{2}/.test(url) && !/^\s/.test(url);
  };
  return reader;
}

/** Tokens come flat, with an opening and a closing one for what holds others. */
function elementsOf(tokens: readonly Token[]): Child[] {
  const stack: { token: Token | undefined; children: Child[] }[] = [
    { token: undefined, children: [] },
  ];
  const put = (...children: readonly Child[]): void =>
    void stack.at(-1)?.children.push(...children);
  for (const token of tokens) {
    if (token.nesting === 1) stack.push({ token, children: [] });
    else if (token.nesting === -1) {
      const done = stack.pop();
      if (done?.token) put(...closed(done.token, done.children));
    } else put(...single(token));
  }
  return stack[0]?.children ?? [];
}

function closed(token: Token, children: readonly Child[]): readonly Child[] {
  if (token.hidden || !TAGS.has(token.tag)) return children;
  if (token.tag !== "a") return [h(token.tag, {}, children)];
  const href = String(token.attrGet("href") ?? "");
  // What is elsewhere does not take the place of the app, which may be in somebody's frame.
  const target = /^https?:/i.test(href) && "_blank";
  return [h("a", { href, target, rel: "noopener noreferrer nofollow" }, children)];
}

function single(token: Token): readonly Child[] {
  const { type, tag, content } = token;
  if (type === "inline") return elementsOf(token.children ?? []);
  if (type === "softbreak") return [" "];
  if (type === "fence" || type === "code_block") return [h("pre", {}, h("code", {}, content))];
  if (type === "code_inline") return [h("code", {}, content)];
  if (tag === "hr" || tag === "br") return [h(tag)];
  return [content];
}
