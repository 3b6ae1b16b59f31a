/** Renders articles as safe HTML, without images over unencrypted connections, and as plain text. */
import { createMarkdownParser, LINK_REL, type MarkdownIt, SCHEME } from "#kernel/html/markdown.ts";

/** Loaded on first use, because most processes never render. */
let loading: Promise<MarkdownRenderer> | undefined;

export interface MarkdownRenderer {
  readonly toHtml: (markdown: string) => string;
  /** The text without markup, one line per block. */
  readonly toPlainText: (markdown: string) => string;
}

/** Loads the renderer once. */
export function loadMarkdown(): Promise<MarkdownRenderer> {
  loading ??= load();
  return loading;
}

async function load(): Promise<MarkdownRenderer> {
  const htmlRenderer = await createMarkdownParser({ linkify: true });
  sanitizeLinks(htmlRenderer);
  const textParser = await createMarkdownParser({ linkify: false });
  return {
    toHtml: (markdown) => htmlRenderer.render(markdown),
    toPlainText: (markdown) => toPlainText(textParser, markdown),
  };
}

function sanitizeLinks(parser: MarkdownIt): void {
  const { rules } = parser.renderer;
  rules["link_open"] = (...[tokens, index, options, , self]) => {
    tokens[index]?.attrSet("rel", LINK_REL);
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
