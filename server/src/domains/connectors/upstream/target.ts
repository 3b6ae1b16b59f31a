import { encodeFiles } from "#domains/files/index.ts";
import type { RequestContent } from "#kernel/outbound/request-content.ts";
import type { UpstreamConnection } from "./connection.ts";
import Type from "typebox";
import type { PlatformServices } from "#kernel/contract.ts";
import { type FieldError, invalidField } from "#kernel/operation/failure.ts";
import { OutboundRefused } from "#kernel/outbound/outbound.ts";
import { checkHeaders } from "#kernel/outbound/request-checks.ts";
import { jsonPointer } from "#kernel/schema/json-pointer.ts";
import { line, text } from "#kernel/schema/schema.ts";
import type { Headers } from "./http.ts";
import { UpstreamError } from "./upstream-error.ts";

const HEADERS_MAX = 50;
const HEADER_CHARACTERS_MAX = 8_192;

const URL_CHARACTERS_MAX = 2_048;

/** An address in a configuration. */
export function AddressSchema(description: string) {
  return line(URL_CHARACTERS_MAX, description);
}

/** Parses a URL to call. It may contain a secret, so the error does not repeat it. */
export function urlOf(value: string): URL {
  const url = URL.parse(value);
  if (!url) throw new UpstreamError("The URL of the connector can't be parsed.");
  return url;
}

/** Headers of every request; credentials among them are recognized by name. */
export const ConfigHeaders = Type.Record(Type.String(), text(HEADER_CHARACTERS_MAX), {
  maxProperties: HEADERS_MAX,
  "x-headers": true,
  description:
    "Headers of every request. Values can contain `{{secrets.NAME}}`. The value of a header that looks like a credential is returned as `***` unless it refers to a secret.",
});

export const InputHeaders = Type.Record(Type.String(), text(HEADER_CHARACTERS_MAX), {
  maxProperties: HEADERS_MAX,
});

/** The errors of a URL that can be found without network access. */
export function urlErrors({ outbound }: PlatformServices, path: string, url: string): FieldError[] {
  return outboundErrors(path, () => outbound.check({ url, allowHttp: true }));
}

export function hostErrors(
  { outbound }: PlatformServices,
  path: string,
  host: string,
): FieldError[] {
  return outboundErrors(path, () => outbound.checkHost(host));
}

export function headerErrors(path: string, headers: Headers = {}): FieldError[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const url = jsonPointer(path, name);
    return outboundErrors(url, () => checkHeaders({ [name]: value }));
  });
}

/**
 * Joins a path or URL with the base URL of the connector. Paths with dots and absolute URLs cannot change the host,
 * so credentials are not sent elsewhere. Throws a failure with the name of the field.
 */
export function joinUrl(
  base: string,
  input: { readonly path?: string; readonly url?: string },
  field: string,
): URL {
  const root = urlOf(base);
  const trunk = root.pathname.replace(/\/+$/, "");
  const target = input.url ?? `${root.origin}${trunk}${withSlash(input.path ?? "")}`;
  const url = URL.parse(target);
  const isBelowRoot =
    url?.origin === root.origin &&
    url.username === "" &&
    url.password === "" &&
    (url.pathname === (trunk || "/") || url.pathname.startsWith(`${trunk}/`));
  if (!url || !isBelowRoot) throw invalidField(field, "must be below the URL of the connector");
  for (const [name, value] of root.searchParams) {
    if (!url.searchParams.has(name)) url.searchParams.append(name, value);
  }
  url.hash = "";
  return url;
}

/** Adds parameters to the query; lists are repeated, objects are JSON. */
export function withQuery(url: URL, query: Readonly<Record<string, unknown>> = {}): URL {
  const extended = new URL(url);
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) {
      if (value !== undefined && value !== null) extended.searchParams.append(name, textOf(value));
    }
  }
  return extended;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Headers by their names in lower case; the later ones win. */
export function mergeHeaders(...all: readonly (Headers | undefined)[]): Record<string, string> {
  const entries = all.flatMap((headers) => Object.entries(headers ?? {}));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Encodes a body by its media type, with the matching headers; files are streamed while sending. */
export async function encodeBody(
  { files }: Pick<UpstreamConnection, "files">,
  body: unknown,
  headers: Headers,
): Promise<{ readonly headers: Headers; readonly body?: RequestContent }> {
  if (body === undefined) return { headers };
  const contentType = headers["content-type"];
  const encoded = await encodeFiles(body, { contentType, path: "/input/body" }, files.open);
  if (encoded) {
    return { headers: { ...headers, "content-type": encoded.contentType }, body: encoded.content };
  }
  if (typeof body === "string") return { headers, body };
  const type = headers["content-type"] ?? "application/json";
  const sent = { ...headers, "content-type": type };
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type);
  if (!isForm || typeof body !== "object" || body === null) {
    return { headers: sent, body: JSON.stringify(body) };
  }
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(body)) {
    for (const value of [values].flat()) form.append(name, textOf(value));
  }
  return { headers: sent, body: form.toString() };
}

function withSlash(path: string): string {
  return path === "" || path.startsWith("/") || path.startsWith("?") ? path : `/${path}`;
}

function outboundErrors(path: string, check: () => unknown): FieldError[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof OutboundRefused) return [{ path, message: error.message }];
    throw error;
  }
}

/** The host of a server without a URL: a name or an IP address, never a socket path. */
export function hostName(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: "^[A-Za-z0-9_:]([A-Za-z0-9_.:-]*[A-Za-z0-9_:])?$",
    description,
  });
}
