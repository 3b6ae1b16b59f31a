/** The step that calls any address that the SSRF guard permits: one answer, or page after page. */
import * as types from "#domains/workflows/index.ts";
import type { OutboundResponse } from "#kernel/outbound/outbound.ts";
import { parseResponseContent } from "#kernel/outbound/response-content.ts";
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
    const { redirects = 0 } = config;
    const first: PageRequest = { method, url, headers, query, body, redirects };
    if (config.nextPage === undefined) return { output: await callOnce(tools, first, { failOn }) };
    const { maxPages = PAGES_DEFAULT } = config;
    return { output: await callPages(tools, first, { failOn, maxPages }) };
  },
});

/** Calls page after page; the body of the output is the list of all their items. */
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
    // A page may have more items than a call takes arguments.
    items = items.concat(found);
    request = nextRequest(request, await tools.evaluate("nextPage", { response, page }), first);
    if (request !== undefined && page < maxPages) continue;
    if (request !== undefined)
      tools.log("warn", `There are more pages; ${maxPages} were read. See maxPages.`);
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

/** The request of the next page. It stays where the first one went: headers may hold credentials. */
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
    throw new StepFailure("page_elsewhere", "The next page is at another origin than the first.", {
      retryable: false,
    });
  }
  return {
    ...request,
    url: target,
    // An address says all of its query.
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
  { method, url, headers, query, body, redirects }: PageRequest,
  { failOn, page = 1 }: { readonly failOn: readonly string[]; readonly page?: number },
): Promise<PageResponse> {
  const { platform, signal, idempotencyKey } = tools;
  const isText = typeof body === "string";
  const response = await platform.outbound.request({
    method,
    url: withQuery(url, query),
    headers: {
      ...(body !== undefined && !isText && { "content-type": "application/json" }),
      "idempotency-key": page === 1 ? idempotencyKey : `${idempotencyKey}:${page}`,
      ...lowerCaseNames(headers),
    },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    timeoutMs: TIMEOUT_MAX_MS,
    maxResponseBytes: RESPONSE_BYTES_MAX,
    allowHttp: true,
    redirects,
    signal,
  });
  return readAnswer(tools, { method, failOn }, response);
}

/** The answer, unless its status is one of those that fail the step. */
function readAnswer(
  { log, platform }: StepTools,
  { method, failOn }: { readonly method: string; readonly failOn: readonly string[] },
  response: OutboundResponse,
): PageResponse {
  const { status, headers } = response;
  const isFailure = failOn.some((one) =>
    one.endsWith("xx") ? one.startsWith(String(status).charAt(0)) : one === String(status),
  );
  if (response.truncated && !isFailure) {
    throw new StepFailure("response_too_large", "The answer is larger than 1 MiB.", {
      retryable: false,
    });
  }
  const answer = { status, headers, body: parseResponseContent(headers, response.body) };
  if (!isFailure) return answer;
  log("error", `${method} answered ${status}`, { body: answer.body });
  const particulars = describeRefusal(answer, platform.clock.nowMs());
  throw new StepFailure("http_status", `The answer was ${status}.`, particulars);
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
