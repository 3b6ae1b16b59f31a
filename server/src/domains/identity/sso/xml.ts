import { Refused } from "./login-failure.ts";

/**
 * The library's time grows with the square of these: at 15,000 tags it held up the process for half a
 * minute, at these numbers for some tenths of a second. An honest answer has a few hundred.
 */
const TAGS_MAX = 2_000;
const ATTRIBUTES_MAX = 4_000;

/**
 * Reads a SAML response as text, before any parser does. What no honest provider sends and parsers
 * read differently is refused here: declarations (entities, DTDs), comments, CDATA sections and
 * processing instructions, by which the signed text and the text that is read have been made to
 * differ; and signatures by SHA-1.
 */
export function readXml(base64: string): string {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(base64)) {
    throw new Refused("answer_malformed", "The response is not base64.");
  }
  const xml = decode(Buffer.from(base64, "base64")).replace(/^\uFEFF/, "");
  const body = xml.replace(/^\s*<\?xml\s[^>]*\?>/, "");
  if (body.includes("<!") || body.includes("<?")) {
    throw new Refused("answer_malformed", "The response holds a declaration, comment or the like.");
  }
  if (body.split("<").length > TAGS_MAX || body.split("=").length > ATTRIBUTES_MAX) {
    throw new Refused("answer_malformed", "The response has too many parts.");
  }
  if (/#(rsa-|hmac-|dsa-)?sha1["']/.test(body)) {
    throw new Refused("answer_rejected", "The response is signed by SHA-1.");
  }
  return xml;
}

/** An attribute of the response itself, which no signature of an assertion covers. */
export function responseAttribute(xml: string, name: string): string | undefined {
  const tag = /^[^<]*(?:<\?[^>]*\?>)?[^<]*<(?:[^>"']|"[^"]*"|'[^']*')*>/.exec(xml)?.[0] ?? "";
  const quoted = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return (quoted?.[1] ?? quoted?.[2])?.replaceAll("&amp;", "&");
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refused("answer_malformed", "The response is not UTF-8.");
  }
}
