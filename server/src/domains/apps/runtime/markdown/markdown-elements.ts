/** Markdown as elements, never as HTML: only the tags below are rendered, and only the descriptions of images. */
import {
  createMarkdownParser,
  LINK_REL,
  type MarkdownIt,
  type Token,
} from "#kernel/html/markdown.ts";
import { type Child, h, type VNode } from "#kernel/html/vnode.ts";

const TAGS = new Set(
  "p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s hr br table thead tbody tr th td a".split(
    " ",
  ),
);

/** The limit of elements for one text; they are copied between threads. */
const ELEMENTS_MAX = 10_000;

/** A text as elements, and their total number including children. */
export interface MarkdownElements {
  readonly elements: readonly VNode[];
  readonly count: number;
}

let loading: Promise<MarkdownIt> | undefined;

/** Loads the converter from text to elements; it returns undefined for too many elements. */
export async function loadMarkdownElements(): Promise<
  (text: string) => MarkdownElements | undefined
> {
  loading ??= createMarkdownParser({ linkify: true });
  const parser = await loading;
  return (text) => {
    const tokens = parser.parse(text, {});
    const count = tokens.reduce((sum, { children }) => sum + 1 + (children?.length ?? 0), 0);
    if (count > ELEMENTS_MAX) return undefined;
    const elements = toElements(tokens).map((child) =>
      typeof child === "string" ? h("p", {}, child) : child,
    );
    return { elements, count };
  };
}

/** Builds nested elements from the flat open and close tokens. */
function toElements(tokens: readonly Token[]): Child[] {
  const stack: { token: Token | undefined; children: Child[] }[] = [
    { token: undefined, children: [] },
  ];
  const append = (...children: readonly Child[]): void =>
    void stack.at(-1)?.children.push(...children);
  for (const token of tokens) {
    if (token.nesting === 1) stack.push({ token, children: [] });
    else if (token.nesting === -1) {
      const element = stack.pop();
      if (element?.token) append(...renderContainer(element.token, element.children));
    } else append(...renderLeaf(token));
  }
  return stack[0]?.children ?? [];
}

function renderContainer(token: Token, children: readonly Child[]): readonly Child[] {
  if (token.hidden || !TAGS.has(token.tag)) return children;
  if (token.tag !== "a") return [h(token.tag, {}, children)];
  const href = String(token.attrGet("href") ?? "");
  // External links open in a new tab, because the app may be embedded in a frame.
  const target = /^https?:/i.test(href) && "_blank";
  return [h("a", { href, target, rel: LINK_REL }, children)];
}

function renderLeaf(token: Token): readonly Child[] {
  const { type, tag, content } = token;
  if (type === "inline") return toElements(token.children ?? []);
  if (type === "softbreak") return [" "];
  if (type === "fence" || type === "code_block") return [h("pre", {}, h("code", {}, content))];
  if (type === "code_inline") return [h("code", {}, content)];
  if (tag === "hr" || tag === "br") return [h(tag)];
  return [content];
}
