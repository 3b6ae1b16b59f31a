/** The step that calls any address permitted by the SSRF guard: one response, or page after page. */
import * as types from "#domains/workflows/index.ts";
import { encodeFiles, receiveContent, type ResponseForm } from "#domains/files/index.ts";
import type { RequestContent } from "#kernel/outbound/request-content.ts";
import type { ResponseHead } from "#kernel/outbound/outbound.ts";
import { JSON_CHARACTERS_MAX } from "#kernel/schema/json-value.ts";
import { executor, type StepTools } from "./executor.ts";
import { describeRefusal, StepFailure } from "./step-error.ts";

const RESPONSE_BYTES_MAX = 1_048_576;
const TIMEOUT_MAX_MS = 300_000;
const PAGES_DEFAULT = 100;
const FAILURES = ["4xx", "5xx"];

interface PageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly bodyType: "json" | "form" | "multipart" | undefined;
  readonly response: ResponseForm;
  readonly redirects: number;
}

interface PageResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export const http = executor({
  type: types.http,
  async run(config, tools) {
    const { method = "GET", url, headers = {}, query = {}, body, failOn = FAILURES } = config;
    const { redirects = 0, bodyType, response = "auto" } = config;
    const first = { method, url, headers, query, body, bodyType, response, redirects };
    if (config.nextPage === undefined) return { output: await callOnce(tools, first, { failOn }) };
    const { maxPages = PAGES_DEFAULT } = config;
    return { output: await callPages(tools, first, { failOn, maxPages }) };
  },
});

/** Calls page after page. The output body is the list of all items. */
async function callPages(
  tools: StepTools,
  first: PageRequest,
  { failOn, maxPages }: { readonly failOn: readonly string[]; readonly maxPages: number },
) {
  let items: readonly unknown[] = [];
  let characters = 0;
  let request: PageRequest | undefined = first;
  for (let page = 1; ; page += 1) {
    const response: PageResponse = await callOnce(tools, request, { failOn, page });
    const found = await itemsOfPage(tools, response, page);
    characters += JSON.stringify(found).length;
    if (characters > JSON_CHARACTERS_MAX) {
      throw new StepFailure(
        "response_too_large",
        `The items of ${page} pages are larger than 1 MiB.`,
        {
          retryable: false,
        },
      );
    }
    // A page can have more items than the maximum number of function arguments.
    items = items.concat(found);
    request = nextRequest(request, await tools.evaluate("nextPage", { response, page }), first);
    if (request !== undefined && page < maxPages) continue;
    if (request !== undefined)
      tools.log("warn", `There are more pages; only ${maxPages} were read. See maxPages.`);
    return { status: response.status, headers: response.headers, body: items, pages: page };
  }
}

async function itemsOfPage(
  { evaluate }: StepTools,
  response: PageResponse,
  page: number,
): Promise<readonly unknown[]> {
  const found = (await evaluate("pageItems", { response, page })) ?? undefined;
  const value = found === undefined ? response.body : found;
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * The request for the next page. It must have the origin of the first request, because headers can contain
 * credentials.
 */
function nextRequest(
  request: PageRequest,
  next: unknown,
  first: PageRequest,
): PageRequest | undefined {
  if (next === undefined || next === null || next === false || next === "") return undefined;
  const change = typeof next === "string" ? { url: next } : (Object(next) as Partial<PageRequest>);
  const { url, query, body } = change;
  const target = url === undefined ? request.url : resolveUrl(url, request.url);
  if (originOf(target) !== originOf(first.url)) {
    throw new StepFailure(
      "page_elsewhere",
      "The next page has another origin than the first one.",
      {
        retryable: false,
      },
    );
  }
  return {
    ...request,
    url: target,
    // A next address contains its complete query.
    query: url === undefined ? { ...request.query, ...query } : { ...query },
    body:
      isObject(body) && isObject(request.body)
        ? { ...request.body, ...body }
        : (body ?? request.body),
  };
}

function resolveUrl(url: string, from: string): string {
  return URL.canParse(url, from) ? new URL(url, from).href : url;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function callOnce(
  tools: StepTools,
  request: PageRequest,
  { failOn, page = 1 }: { readonly failOn: readonly string[]; readonly page?: number },
): Promise<PageResponse> {
  const { platform, signal, idempotencyKey } = tools;
  const { method, url, query, redirects } = request;
  const { headers, body } = await encodeRequest(tools, request);
  return platform.outbound.exchange(
    {
      method,
      url: withQuery(url, query),
      headers: {
        "idempotency-key": page === 1 ? idempotencyKey : `${idempotencyKey}:${page}`,
        ...headers,
      },
      ...(body !== undefined && { body }),
      timeoutMs: TIMEOUT_MAX_MS,
      allowHttp: true,
      redirects,
      signal,
    },
    (head, content) => receiveAnswer(tools, { request, failOn }, head, content),
  );
}

interface EncodedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestContent;
}

/** The headers and the body to send. Files are opened here and read while they are sent. */
async function encodeRequest(
  { files }: StepTools,
  { headers: given, body, bodyType }: PageRequest,
): Promise<EncodedRequest> {
  const headers = lowerCaseNames(given);
  if (body === undefined) return { headers };
  const contentType = headers["content-type"] ?? (bodyType && BODY_TYPES[bodyType]);
  const open = (handle: unknown, field: string) => files.open(handle, field);
  const encoded = await encodeFiles(body, { contentType, path: "/body" }, open);
  if (encoded) {
    return { headers: { ...headers, "content-type": encoded.contentType }, body: encoded.content };
  }
  if (typeof body === "string") {
    return { headers: contentType ? { "content-type": contentType, ...headers } : headers, body };
  }
  const type = contentType ?? BODY_TYPES.json;
  const isForm = bodyType === "form" && isObject(body);
  return {
    headers: { "content-type": type, ...headers },
    body: isForm ? encodeForm(body) : JSON.stringify(body),
  };
}

const BODY_TYPES = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
} as const;

function encodeForm(fields: object): string {
  const form = new URLSearchParams();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) {
      if (value !== undefined && value !== null) form.append(name, toText(value));
    }
  }
  return form.toString();
}

/** Returns the response, or fails the step for a failing status. */
async function receiveAnswer(
  { log, platform, files }: StepTools,
  { request, failOn }: { readonly request: PageRequest; readonly failOn: readonly string[] },
  head: ResponseHead,
  content: AsyncIterable<Uint8Array>,
): Promise<PageResponse> {
  const { status, headers } = head;
  const { method, response } = request;
  const isFailure = failOn.some((one) =>
    one.endsWith("xx") ? one.startsWith(String(status).charAt(0)) : one === String(status),
  );
  const isEmpty = method === "HEAD" || status === 204 || headers["content-length"] === "0";
  const { body, truncated } = await receiveContent(head, content, {
    form: isFailure || isEmpty ? "data" : response,
    bytesMax: RESPONSE_BYTES_MAX,
    keep: (bytes, about) => files.keep(bytes, about),
  });
  if (truncated && !isFailure) {
    throw new StepFailure(
      "response_too_large",
      "The response is larger than 1 MiB. Use `response: file` to store it as a file.",
      { retryable: false },
    );
  }
  const answer = { status, headers, body };
  if (!isFailure) return answer;
  log("error", `${method} answered ${status}`, { body: answer.body });
  const particulars = describeRefusal(answer, platform.clock.nowMs());
  throw new StepFailure("http_status", `The response status was ${status}.`, particulars);
}

function withQuery(url: string, query: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(query);
  if (names.length === 0 || !URL.canParse(url)) return url;
  const target = new URL(url);
  for (const name of names) {
    for (const value of [query[name]].flat()) {
      if (value !== undefined && value !== null) target.searchParams.append(name, toText(value));
    }
  }
  return target.href;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
