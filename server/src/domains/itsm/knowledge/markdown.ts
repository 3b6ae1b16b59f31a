/**
 * Markdown of people, as HTML that anybody's browser may show: no HTML of theirs, no link but to the
 * web, to mail or within our own pages, and no picture that is fetched without encryption.
 */
import type { MarkdownIt } from "markdown-it";

/** Made when it is first needed: most processes never render anything. */
let loading: Promise<Markdown> | undefined;

/** Reads Markdown. */
export interface Markdown {
  readonly htmlOf: (markdown: string) => string;
  /** The words alone, a line for each block. */
  readonly plainOf: (markdown: string) => string;
}

/** The reader, loaded. */
export function markdownReader(): Promise<Markdown> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Markdown> {
  const { default: Reader } = await import("markdown-it");
  const shown = new Reader({ html: false, linkify: true });
  shown.validateLink = isSafe;
  makeLinksHarmless(shown);
  // Words need no links found, which is the slowest part.
  const words = new Reader({ html: false, linkify: false });
  return {
    htmlOf: (markdown) => shown.render(markdown),
    plainOf: (markdown) => plainOf(words, markdown),
  };
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const SAFE_SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** An address is normalised before it comes here: no control characters, no backslashes. */
function isSafe(url: string): boolean {
  const [scheme] = SCHEME.exec(url) ?? [];
  if (scheme !== undefined) return SAFE_SCHEMES.has(scheme.toLowerCase());
  // Without a scheme but with a host it would lead elsewhere by whatever scheme the page has; and what
  // has a colon before any slash is no path, but a scheme in disguise.
  return !url.startsWith("//") && !/^[^/?#]*:/.test(url);
}

function makeLinksHarmless(reader: MarkdownIt): void {
  const { rules } = reader.renderer;
  rules["link_open"] = (...[tokens, index, options, , self]) => {
    tokens[index]?.attrSet("rel", "noopener noreferrer nofollow");
    return self.renderToken(tokens, index, options);
  };
  const { image } = rules;
  rules["image"] = (...drawing) => {
    const [tokens, index] = drawing;
    const token = tokens[index];
    const source = String(token?.attrGet("src") ?? "");
    const isOurs = !SCHEME.test(source);
    if (image && (isOurs || source.toLowerCase().startsWith("https:"))) {
      token?.attrSet("referrerpolicy", "no-referrer");
      token?.attrSet("loading", "lazy");
      return image(...drawing);
    }
    return reader.utils.escapeHtml(token?.content ?? "");
  };
}

function plainOf(reader: MarkdownIt, markdown: string): string {
  const lines = reader.parse(markdown, {}).flatMap(({ type, content, children }) => {
    if (type === "fence" || type === "code_block") return [content];
    if (type !== "inline") return [];
    const words = (children ?? []).map((child) =>
      child.type === "softbreak" || child.type === "hardbreak" ? " " : child.content,
    );
    return [words.join("")];
  });
  return lines.join("\n").trim();
}
