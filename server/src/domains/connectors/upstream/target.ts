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

/** An address to be called. What it says may have come from a secret, so it is not repeated. */
export function urlOf(given: string): URL {
  const url = URL.parse(given);
  if (!url) throw new UpstreamError("The connector's address can't be read.");
  return url;
}

/** Headers of every request; which of them hold credentials, their names tell. */
export const ConfigHeaders = Type.Record(Type.String(), text(HEADER_CHARACTERS_MAX), {
  maxProperties: HEADERS_MAX,
  "x-headers": true,
  description:
    "Sent with every request; values may hold `{{secrets.NAME}}`. The value of a header whose name " +
    "speaks of a credential is shown as `***` unless it refers to a secret.",
});

export const InputHeaders = Type.Record(Type.String(), text(HEADER_CHARACTERS_MAX), {
  maxProperties: HEADERS_MAX,
});

/** What is wrong with an address that is saved, as far as that can be told without the network. */
export function urlErrors({ outbound }: PlatformServices, path: string, url: string): FieldError[] {
  return refused(path, () => outbound.check({ url, allowHttp: true }));
}

export function hostErrors(
  { outbound }: PlatformServices,
  path: string,
  host: string,
): FieldError[] {
  return refused(path, () => outbound.checkHost(host));
}

export function headerErrors(path: string, headers: Headers = {}): FieldError[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const place = jsonPointer(path, name);
    return refused(place, () => checkHeaders({ [name]: value }));
  });
}

/**
 * A place under the connector's own address: neither a path with dots nor a whole URL leads anywhere
 * else, and so the credentials go nowhere else. Throws a failure that names the field.
 */
export function joinUrl(
  base: string,
  input: { readonly path?: string; readonly url?: string },
  field: string,
): URL {
  const root = urlOf(base);
  const trunk = root.pathname.replace(/\/+$/, "");
  const given = input.url ?? `${root.origin}${trunk}${withSlash(input.path ?? "")}`;
  const place = URL.parse(given);
  const isUnder =
    place?.origin === root.origin &&
    place.username === "" &&
    place.password === "" &&
    (place.pathname === (trunk || "/") || place.pathname.startsWith(`${trunk}/`));
  if (!place || !isUnder) throw invalidField(field, "must lie under the connector's own address");
  for (const [name, value] of root.searchParams) {
    if (!place.searchParams.has(name)) place.searchParams.append(name, value);
  }
  place.hash = "";
  return place;
}

/** Adds parameters to the query; lists come several times, objects as JSON. */
export function withQuery(url: URL, query: Readonly<Record<string, unknown>> = {}): URL {
  const extended = new URL(url);
  for (const [name, given] of Object.entries(query)) {
    for (const value of [given].flat()) {
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

/** A body as it is sent, and the headers that say what it is. */
export function bodyOf(
  body: unknown,
  headers: Headers,
): { readonly headers: Headers; readonly body?: string } {
  if (body === undefined) return { headers };
  if (typeof body === "string") return { headers, body };
  const type = headers["content-type"] ?? "application/json";
  const sent = { ...headers, "content-type": type };
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type);
  if (!isForm || typeof body !== "object" || body === null) {
    return { headers: sent, body: JSON.stringify(body) };
  }
  const form = new URLSearchParams();
  for (const [name, given] of Object.entries(body)) {
    for (const value of [given].flat()) form.append(name, textOf(value));
  }
  return { headers: sent, body: form.toString() };
}

function withSlash(path: string): string {
  return path === "" || path.startsWith("/") || path.startsWith("?") ? path : `/${path}`;
}

function refused(path: string, check: () => unknown): FieldError[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof OutboundRefused) return [{ path, message: error.message }];
    throw error;
  }
}

/** The host of a server that has no URL: a name or an address, and never a path to a socket. */
export function hostName(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: "^[A-Za-z0-9_:]([A-Za-z0-9_.:-]*[A-Za-z0-9_:])?$",
    description,
  });
}
