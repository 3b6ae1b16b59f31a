/**
 * Sanitized Markdown: HTML that is safe in any browser. No raw HTML, no link but to the web, to mail or
 * within our own pages, and no picture over an unencrypted connection.
 */
import type { MarkdownIt } from "markdown-it";

/** Loaded at first use: most processes never render anything. */
let loading: Promise<MarkdownRenderer> | undefined;

export interface MarkdownRenderer {
  readonly toHtml: (markdown: string) => string;
  /** The text without markup, a line for each block. */
  readonly toPlainText: (markdown: string) => string;
}

/** Loads the renderer once. */
export function loadMarkdown(): Promise<MarkdownRenderer> {
  loading ??= load();
  return loading;
}

async function load(): Promise<MarkdownRenderer> {
  const { default: MarkdownParser } = await import("markdown-it");
  const htmlRenderer = new MarkdownParser({ html: false, linkify: true });
  htmlRenderer.validateLink = isSafeLink;
  sanitizeLinks(htmlRenderer);
  // Plain text needs no link detection, which is the slowest part.
  const textParser = new MarkdownParser({ html: false, linkify: false });
  return {
    toHtml: (markdown) => htmlRenderer.render(markdown),
    toPlainText: (markdown) => toPlainText(textParser, markdown),
  };
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const SAFE_SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Expects a normalised URL: no control characters, no backslashes. */
function isSafeLink(url: string): boolean {
  const [scheme] = SCHEME.exec(url) ?? [];
  if (scheme !== undefined) return SAFE_SCHEMES.has(scheme.toLowerCase());
  // A URL with a host but no scheme would lead to another site; a colon before any slash is a scheme in
  // disguise.
  return !url.startsWith("//") && !/^[^/?#]*:/.test(url);
}

function sanitizeLinks(parser: MarkdownIt): void {
  const { rules } = parser.renderer;
  rules["link_open"] = (...[tokens, index, options, , self]) => {
    tokens[index]?.attrSet("rel", "noopener noreferrer nofollow");
    return self.renderToken(tokens, index, options);
  };
  const { image } = rules;
  rules["image"] = (...rendering) => {
    const [tokens, index] = rendering;
    const token = tokens[index];
    const source = String(token?.attrGet("src") ?? "");
    const isRelative = !SCHEME.test(source);
    if (image && (isRelative || source.toLowerCase().startsWith("https:"))) {
      token?.attrSet("referrerpolicy", "no-referrer");
      token?.attrSet("loading", "lazy");
      return image(...rendering);
    }
    return parser.utils.escapeHtml(token?.content ?? "");
  };
}

function toPlainText(parser: MarkdownIt, markdown: string): string {
  const lines = parser.parse(markdown, {}).flatMap(({ type, content, children }) => {
    if (type === "fence" || type === "code_block") return [content];
    if (type !== "inline") return [];
    const textParser = (children ?? []).map((child) =>
      child.type === "softbreak" || child.type === "hardbreak" ? " " : child.content,
    );
    return [textParser.join("")];
  });
  return lines.join("\n").trim();
}
