/** Runs an action of a document or a preset: one request, or one per page. */
import { callHttp, type Headers, type HttpRequest } from "../upstream/http.ts";
import type { UpstreamConnection } from "../upstream/connection.ts";
import type { HttpResponse } from "../upstream/response.ts";
import { joinUrl } from "../upstream/target.ts";
import { excerpt } from "../upstream/response.ts";
import { UpstreamError } from "../upstream/upstream-error.ts";
import type { DiscoveredAction, Paging } from "./discovered-action.ts";
import { buildRequest } from "./request.ts";

/** The base URL of an API, and how it reports an error in a successful response. */
export interface ApiConfig {
  readonly baseUrl: string;
  readonly headers?: Headers;
  readonly failsWhen?: { readonly field: string; readonly is?: unknown; readonly message: string };
}

type Input = Readonly<Record<string, unknown>>;

/** A response; for a list, with the items of all pages read. */
export interface ActionOutput extends HttpResponse {
  readonly items?: readonly unknown[];
}

const ITEMS_MAX = 10_000;

export async function runAction(
  connection: UpstreamConnection,
  config: ApiConfig,
  action: DiscoveredAction,
  input: Input,
): Promise<ActionOutput> {
  const { pagesMax = 1, ...own } = input;
  const { items: path, paging } = action;
  let request = await buildRequest(connection, action, { config, input: own });
  const items: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const response = await callHttp(connection, request);
    assertNoFailure(connection, config, response);
    if (path === undefined) return response;
    const found = listAt(response.body, path);
    items.push(...found.slice(0, ITEMS_MAX - items.length));
    const isLast = !paging || page >= Number(pagesMax) || items.length >= ITEMS_MAX;
    const next = isLast ? undefined : nextRequest(request, response, { paging, found, config });
    if (!next) return { ...response, items };
    request = next;
  }
}

/** The value at a path with dots; `$` is the entire value. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === "$") return value;
  return path
    .split(".")
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === "object" && inner !== null && Object.hasOwn(inner, name)
          ? (inner as Readonly<Record<string, unknown>>)[name]
          : undefined,
      value,
    );
}

function listAt(body: unknown, path: string): readonly unknown[] {
  const found = valueAt(body, path);
  return Array.isArray(found) ? found : [];
}

interface Page {
  readonly paging: Paging;
  readonly found: readonly unknown[];
  readonly config: ApiConfig;
}

/** The request for the next page; undefined if there is none, or it would repeat the same request. */
function nextRequest(
  request: HttpRequest,
  response: HttpResponse,
  { paging, found, config }: Page,
): HttpRequest | undefined {
  switch (paging.kind) {
    case "cursor": {
      const cursor = valueAt(response.body, paging.from);
      const isThere = (typeof cursor === "string" && cursor !== "") || typeof cursor === "number";
      return isThere ? withValue(request, paging.to, cursor) : undefined;
    }
    case "count": {
      if (found.length === 0) return undefined;
      const before = Number(request.url.searchParams.get(paging.to) ?? paging.first);
      return withValue(request, paging.to, before + (paging.step === "page" ? 1 : found.length));
    }
    case "url": {
      const link =
        paging.from === "link"
          ? /<([^>]+)>\s*;[^,]*rel="?next"?/.exec(response.headers["link"] ?? "")?.[1]
          : valueAt(response.body, paging.from);
      if (typeof link !== "string" || link === "") return undefined;
      const target = URL.parse(link, request.url)?.href ?? link;
      // The credentials follow no page to another place.
      return { ...request, url: joinUrl(config.baseUrl, { url: target }, "/input") };
    }
  }
}

function withValue(request: HttpRequest, name: string, value: string | number): HttpRequest {
  if (name.startsWith("body:")) {
    const body = JSON.parse(typeof request.body === "string" ? request.body : "{}") as object;
    return { ...request, body: JSON.stringify({ ...body, [name.slice("body:".length)]: value }) };
  }
  const url = new URL(request.url);
  url.searchParams.set(name, String(value));
  return { ...request, url };
}

/** Throws if the body reports a failure although the status is 200. */
function assertNoFailure(
  { scrubber }: UpstreamConnection,
  { failsWhen }: ApiConfig,
  { status, headers, body }: HttpResponse,
): void {
  if (!failsWhen) return;
  const found = valueAt(body, failsWhen.field);
  const isFailure = "is" in failsWhen ? found === failsWhen.is : found !== undefined;
  if (!isFailure) return;
  const reason = scrubber.scrub(valueAt(body, failsWhen.message));
  const text = typeof reason === "string" ? reason.slice(0, 200) : "without further details";
  throw new UpstreamError(`The other system rejected the request: ${text}`, {
    status,
    headers: scrubber.scrub(headers) as Headers,
    body: excerpt(body, scrubber),
  });
}
