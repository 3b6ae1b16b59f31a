/**
 * The Markdown parser of all pages, sanitized by construction: raw HTML stays text, and links are limited to
 * the web, e-mail and local pages. The renderer must add `LINK_REL` to links.
 */
import type { MarkdownIt } from "markdown-it";

export type { MarkdownIt, Token } from "markdown-it";

export const LINK_REL = "noopener noreferrer nofollow";
/** Matches a URL scheme, for example `https:`. */
export const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const SAFE_SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Creates a parser. The library is loaded at first use, because most processes never render Markdown. */
export async function createMarkdownParser(options: {
  /** Detects addresses in text, which is the slowest part of parsing. */
  readonly linkify: boolean;
}): Promise<MarkdownIt> {
  const { default: MarkdownParser } = await import("markdown-it");
  const parser = new MarkdownParser({ html: false, linkify: options.linkify });
  parser.validateLink = isSafeLink;
  return parser;
}

function isSafeLink(url: string): boolean {
  const [scheme] = SCHEME.exec(url) ?? [];
  if (scheme !== undefined) return SAFE_SCHEMES.has(scheme.toLowerCase());
  // A URL with a host but no scheme links to another site. A colon before the first slash is a hidden scheme.
  return !/^\s|^[/\\]{2}/.test(url) && !/^[^/?#]*:/.test(url);
}
