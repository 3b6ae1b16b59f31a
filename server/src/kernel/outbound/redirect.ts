import type { RequestContent } from "./request-content.ts";

export interface Hop {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestContent | undefined;
}

/** The next request. Its URL is not checked. */
export interface NextHop extends Omit<Hop, "url"> {
  readonly location: string;
}

/**
 * The next request of a redirect. Undefined if the response is not a redirect, or one that must not be
 * followed.
 *
 * Method and body change like in browsers: 303 becomes GET, as does a POST after 301 and 302; 307 and 308
 * repeat the request. To another origin, only headers that cannot contain a credential are sent, because
 * connectors use headers of any name for keys. A body can contain secrets too, so a redirect that would repeat
 * it to another origin is not followed.
 */
export function followRedirect(hop: Hop, status: number, location?: string): NextHop | undefined {
  if (location === undefined || !REDIRECTS.has(status)) return undefined;
  // An invalid location is returned unchanged and refused like any other invalid URL.
  const next = URL.parse(location, hop.url.href);
  const sameOrigin = next?.origin === hop.url.origin;
  const toGet = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  const body = toGet ? undefined : hop.body;
  if (body !== undefined && !sameOrigin) return undefined;
  const isSent = (name: string): boolean =>
    toGet && BODY_HEADERS.test(name) ? false : sameOrigin || HARMLESS_HEADERS.test(name);
  return {
    method: toGet ? "GET" : hop.method,
    location: next?.href ?? location,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => isSent(name))),
    body,
  };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const BODY_HEADERS = /^content-/i;
const HARMLESS_HEADERS = /^(accept|accept-language|user-agent)$/i;
