/**
 * Converts an HTML mail to text. No HTML remains, because mails are untrusted and text is safe everywhere. One pass
 * from left to right keeps the time linear.
 */

/** Elements without text content. */
const HIDDEN = new Set([
  "script",
  "style",
  "head",
  "title",
  "template",
  "noscript",
  "svg",
  "object",
]);
const BLOCKS = new Set(
  "p div tr table ul ol dl dt dd h1 h2 h3 h4 h5 h6 pre section article header footer address center form".split(
    " ",
  ),
);
const HREF = /\bhref\s*=\s*(?:"([^"]{1,2000})"|'([^']{1,2000})')/i;
const ALT = /\balt\s*=\s*(?:"([^"]{1,200})"|'([^']{1,200})')/i;
const CITE =
  /\b(?:type\s*=\s*["']?cite|class\s*=\s*["'][^"']{0,200}\b(?:gmail_quote|moz-cite|yahoo_quoted))/i;
/** Outlook inserts it before the header of a quoted mail. */
const OUTLOOK_QUOTE =
  /\bid\s*=\s*["']?(?:x_)?(?:divRplyFwdMsg|mail-editor-reference-message-container)/i;

/** A line that cannot occur in a mail; quoted text follows. */
export const QUOTE_MARK = "\u{F0001}";

/** Converts HTML to text. A line with `QUOTE_MARK` shows where a mail client started a quote. */
export function htmlToText(html: string): string {
  const writer = new TextWriter();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open !== at) writer.addText(decodeEntities(html.slice(at, open < 0 ? undefined : open)));
    if (open < 0) break;
    if (html.startsWith("<!--", open)) {
      const end = html.indexOf("-->", open + 4);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const close = html.indexOf(">", open);
    if (close < 0) break;
    at = close + 1;
    const tag = html.slice(open + 1, close);
    const name = /^\/?([a-z][a-z0-9]{0,20})/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) continue;
    if (HIDDEN.has(name) && !tag.startsWith("/") && !tag.endsWith("/")) at = skip(html, at, name);
    else if (tag.startsWith("/")) writer.closeTag(name);
    else writer.openTag(name, tag);
  }
  return writer.finish();
}

/** The position after the end of an element with hidden content. */
function skip(html: string, from: number, name: string): number {
  const end = new RegExp(`</${name}\\b[^>]{0,100}>`, "gi");
  end.lastIndex = from;
  return end.exec(html) ? end.lastIndex : html.length;
}

class TextWriter {
  readonly #parts: string[] = [];
  #links: string[] = [];
  #preformatted = 0;
  #endsLine = true;
  #hasQuoteMark = false;

  addText(text: string): void {
    const clean = text.replaceAll(QUOTE_MARK, "");
    if (this.#preformatted > 0) return this.#push(clean);
    const flat = clean.replaceAll(/[\t\n\f\r ]+/g, " ");
    this.#push(this.#endsLine ? flat.trimStart() : flat);
  }

  openTag(name: string, tag: string): void {
    if (BLOCKS.has(name) || name === "blockquote") this.#endLine();
    if (!this.#hasQuoteMark && (CITE.test(tag) || OUTLOOK_QUOTE.test(tag))) {
      this.#endLine();
      this.#push(`${QUOTE_MARK}\n`);
      this.#hasQuoteMark = true;
    }
    if (name === "br") this.#push("\n");
    if (name === "li") {
      this.#endLine();
      this.#push("- ");
    }
    if (name === "td" || name === "th") this.#push(this.#endsLine ? "" : " ");
    if (name === "hr") this.#push("\n");
    if (name === "pre") this.#preformatted += 1;
    if (name === "a") this.#links.push(linkOf(tag));
    if (name === "img") {
      const alt = ALT.exec(tag);
      const words = decodeEntities(alt?.[1] ?? alt?.[2] ?? "").trim();
      if (words !== "") this.#push(`[${words}]`);
    }
  }

  closeTag(name: string): void {
    if (name === "pre") this.#preformatted = Math.max(0, this.#preformatted - 1);
    if (BLOCKS.has(name) || name === "blockquote" || name === "li") this.#endLine();
    if (name === "p") this.#push("\n");
    if (name === "a") {
      const link = this.#links.pop() ?? "";
      // The text of most links equals their address.
      if (
        link !== "" &&
        !this.#parts
          .slice(-3)
          .join("")
          .includes(link.replace(/^mailto:/, ""))
      )
        this.#push(` (${link})`);
    }
  }

  finish(): string {
    return (
      this.#parts
        .join("")
        .replaceAll("\u00A0", " ")
        // Trimmed line by line, because a pattern for trailing spaces backtracks on many consecutive spaces.
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")
        .replaceAll(/\n{3,}/g, "\n\n")
        .trim()
    );
  }

  #endLine(): void {
    if (!this.#endsLine) this.#push("\n");
  }

  #push(text: string): void {
    if (text === "") return;
    this.#parts.push(text);
    this.#endsLine = text.endsWith("\n");
  }
}

function linkOf(tag: string): string {
  const found = HREF.exec(tag);
  const href = decodeEntities(found?.[1] ?? found?.[2] ?? "").trim();
  // Other schemes could execute code if a reader converts texts to links.
  return /^(https?:|mailto:)/i.test(href) && !/\s/.test(href) ? href : "";
}

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: "\u00A0",
    auml: "ä",
    ouml: "ö",
    uuml: "ü",
    Auml: "Ä",
    Ouml: "Ö",
    Uuml: "Ü",
    szlig: "ß",
    eacute: "é",
    egrave: "è",
    agrave: "à",
    ccedil: "ç",
    euro: "€",
    copy: "©",
    reg: "®",
    hellip: "…",
    ndash: "–",
    mdash: "—",
    lsquo: "‘",
    rsquo: "’",
    ldquo: "“",
    rdquo: "”",
    laquo: "«",
    raquo: "»",
    bull: "•",
    zwnj: "",
  }),
);

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,10});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES.get(name) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      ? String.fromCodePoint(code)
      : "";
  });
}
