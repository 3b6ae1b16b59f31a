/**
 * Checks a request before it is sent: URL, method and headers. The address of a host name is checked later, at
 * connect time.
 */
import { isIP } from "node:net";
import { OutboundRefused } from "./error.ts";

/**
 * Parses a URL or refuses it. The WHATWG parser is lenient (`https:x`, `https:\\x`, newlines), and parser differences
 * can bypass filters, so a URL is accepted only if all parsers agree on it.
 */
export function parseTarget(text: string, allowHttp: boolean): URL {
  if (text.length > URL_CHARACTERS_MAX) throw refuseUrl("is too long");
  // The pattern must match whitespace, control characters and backslashes.
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(text))
    throw refuseUrl("contains a character that is not allowed");
  const url = URL.parse(text);
  if (url === null) throw refuseUrl("can't be parsed");
  if (url.protocol !== "https:" && !(allowHttp && url.protocol === "http:")) {
    const allowed = allowHttp ? "https or http" : "https";
    throw new OutboundRefused("scheme", `The scheme of the URL must be ${allowed}.`);
  }
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) throw refuseUrl("must have a host");
  if (authority.includes("@")) throw refuseUrl("must not contain credentials");
  if (url.hostname.endsWith(".")) throw refuseUrl("must not have a dot at the end of the host");
  if (url.port === "0") throw refuseUrl("has port 0");
  return url;
}

/** The address if the host of the URL is one, without the brackets of IPv6. */
export function literalAddress(hostname: string): string | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(address) === 0 ? undefined : address;
}

/** Refuses invalid methods and protocol upgrades. */
export function checkMethod(method: string): void {
  if (TOKEN.test(method) && !/^(CONNECT|TRACE|TRACK)$/i.test(method)) return;
  throw new OutboundRefused("method", "The HTTP method is not allowed.");
}

/** Refuses headers that would break the message, and connection headers. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name))
      throw new OutboundRefused("header", "The name of a header is not valid.");
    if (MANAGED_HEADERS.has(name.toLowerCase())) {
      throw new OutboundRefused("header", `The header ${name} can't be set.`);
    }
    // HTTP/1.1 supports Latin-1 without control characters except the tab.
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new OutboundRefused("header", `The value of the header ${name} is not valid.`);
    }
  }
}

const URL_CHARACTERS_MAX = 8192;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;

// `host` would request another site from a shared front end and set the TLS server name. The others define the
// message framing or belong to the connection.
const MANAGED_HEADERS = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function refuseUrl(reason: string): OutboundRefused {
  return new OutboundRefused("url", `The URL ${reason}.`);
}
