/**
 * Parses tags and texts of an XML document as a stream. Document types are not supported, so entities cannot expand.
 */
import { ROW_CHARACTERS_MAX, SourceError } from "./source-row.ts";

export type XmlToken =
  | {
      readonly type: "open";
      readonly name: string;
      readonly attributes: string;
      readonly isEmpty: boolean;
    }
  | { readonly type: "close"; readonly name: string }
  | { readonly type: "text"; readonly text: string };

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

export class XmlScanner {
  #rest = "";

  push(part: string): XmlToken[] {
    const tokens: XmlToken[] = [];
    const text = this.#rest + part;
    let at = 0;
    for (;;) {
      const open = text.indexOf("<", at);
      if (open === -1) break;
      const close = this.#findEnd(text, open);
      if (close === -1) break;
      if (open > at) tokens.push({ type: "text", text: decodeEntities(text.slice(at, open)) });
      const tag = text.slice(open + 1, close);
      const token = toToken(tag);
      if (token) tokens.push(token);
      at = close + 1;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > ROW_CHARACTERS_MAX)
      throw new SourceError("The spreadsheet contains an incomplete cell.");
    return tokens;
  }

  #findEnd(text: string, open: number): number {
    if (text.startsWith("<!--", open)) {
      const end = text.indexOf("-->", open + 4);
      return end === -1 ? -1 : end + 2;
    }
    if (text.startsWith("<![CDATA[", open)) {
      const end = text.indexOf("]]>", open + 9);
      return end === -1 ? -1 : end + 2;
    }
    return text.indexOf(">", open + 1);
  }
}

function toToken(tag: string): XmlToken | undefined {
  if (tag.startsWith("![CDATA[")) return { type: "text", text: tag.slice(8, -2) };
  if (tag.startsWith("!DOCTYPE"))
    throw new SourceError(
      "The spreadsheet contains a document type declaration, which is not supported.",
    );
  if (tag.startsWith("?") || tag.startsWith("!")) return undefined;
  if (tag.startsWith("/")) return { type: "close", name: localName(tag.slice(1).trim()) };
  const isEmpty = tag.endsWith("/");
  const body = isEmpty ? tag.slice(0, -1) : tag;
  const space = body.search(/\s/);
  const name = localName(space === -1 ? body : body.slice(0, space));
  return { type: "open", name, attributes: space === -1 ? "" : body.slice(space), isEmpty };
}

function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon === -1 ? name : name.slice(colon + 1);
}

/** The value of an attribute, ignoring its prefix. */
export function attributeIn(attributes: string, name: string): string | undefined {
  const found = attributePattern(name).exec(attributes);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? undefined : decodeEntities(value);
}

const patterns = new Map<string, RegExp>();

/** Cached, because each cell of a sheet looks up the same few names. */
function attributePattern(name: string): RegExp {
  let pattern = patterns.get(name);
  if (!pattern) {
    pattern = new RegExp(`(?:^|[\\s:])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
    patterns.set(name, pattern);
  }
  return pattern;
}

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,4});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES[name] ?? whole;
    const code = name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const isHalf = code >= 0xd800 && code <= 0xdfff;
    return code > 0 && code <= 0x10ffff && !isHalf ? String.fromCodePoint(code) : "";
  });
}
