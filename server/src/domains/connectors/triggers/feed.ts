/**
 * Parses feeds: RSS 0.9 to 2.0 and Atom. Scans by position, so that the time is linear in the length of the feed.
 */

export interface FeedEntry {
  readonly id: string;
  readonly title: string;
  readonly link: string;
  readonly published: string;
  readonly author: string;
  readonly summary: string;
  readonly content: string;
  readonly categories: readonly string[];
}

const ENTRIES_MAX = 500;
const TEXT_CHARACTERS_MAX = 100_000;

/** The entries in feed order; undefined if the text is not a feed. */
export function parseFeed(text: string): FeedEntry[] | undefined {
  if (!/<(?:rss|feed|rdf:RDF)[\s>]/.test(text)) return undefined;
  const items = elementsIn(text, "item");
  const entries = items.length > 0 ? items : elementsIn(text, "entry");
  return entries.map(toEntry);
}

function toEntry({ content: inner }: FoundElement): FeedEntry {
  const first = (...names: readonly string[]): string => {
    for (const name of names) {
      const [found] = elementsIn(inner, name, 1);
      if (found) return plainText(found.content);
    }
    return "";
  };
  const link = first("link") || hrefIn(inner);
  const title = first("title");
  return {
    id: first("guid", "id") || link || title,
    title,
    link,
    published: first("pubDate", "published", "updated", "dc:date"),
    author: first("dc:creator", "name", "author"),
    summary: first("description", "summary"),
    content: first("content:encoded", "content"),
    categories: elementsIn(inner, "category", 50).map(
      ({ content, attributes }) => plainText(content) || readAttribute(attributes, "term"),
    ),
  };
}

interface FoundElement {
  readonly content: string;
  readonly attributes: string;
}

/** The elements with a name, which must not be nested. */
function elementsIn(text: string, name: string, max = ENTRIES_MAX): FoundElement[] {
  const found: FoundElement[] = [];
  const close = `</${name}>`;
  for (let at = 0; found.length < max;) {
    const start = text.indexOf(`<${name}`, at);
    if (start < 0) break;
    const next = text[start + name.length + 1] ?? "";
    if (!/[\s>/]/.test(next)) {
      at = start + 1;
      continue;
    }
    const tagEnd = text.indexOf(">", start);
    if (tagEnd < 0) break;
    const attributes = text.slice(start + name.length + 1, tagEnd);
    if (attributes.endsWith("/")) {
      found.push({ content: "", attributes });
      at = tagEnd + 1;
      continue;
    }
    const end = text.indexOf(close, tagEnd);
    if (end < 0) break;
    found.push({ content: text.slice(tagEnd + 1, end), attributes });
    at = end + close.length;
  }
  return found;
}

/** The URL of an Atom entry: its alternate link, or its first link. */
function hrefIn(inner: string): string {
  const links = elementsIn(inner, "link", 20).map(({ attributes }) => attributes);
  const best = links.find((one) => /rel=["']alternate/.test(one)) ?? links[0] ?? "";
  return decodeEntities(readAttribute(best, "href"));
}

function readAttribute(attributes: string, name: string): string {
  const start = attributes.indexOf(`${name}=`);
  const quote = attributes[start + name.length + 1];
  if (start < 0 || (quote !== '"' && quote !== "'")) return "";
  const from = start + name.length + 2;
  const end = attributes.indexOf(quote, from);
  return end < 0 ? "" : attributes.slice(from, end);
}

function plainText(content: string): string {
  const trimmed = content.trim().slice(0, TEXT_CHARACTERS_MAX);
  if (!trimmed.startsWith("<![CDATA[")) return decodeEntities(trimmed);
  const end = trimmed.indexOf("]]>");
  return trimmed.slice("<![CDATA[".length, end < 0 ? undefined : end);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Decodes the five XML entities and numeric characters; other entities stay, because none is expanded. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x?[0-9a-fA-F]{1,6}|[a-z]{2,4});/g, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    const isHex = name[1] === "x";
    const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });
}
