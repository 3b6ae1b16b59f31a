import * as types from "#domains/workflows/index.ts";
import { contentOf } from "#kernel/outbound/response-content.ts";
import { executor, StepFailure } from "../engine/executor.ts";

const RESPONSE_BYTES_MAX = 1_048_576;
const TIMEOUT_MAX_MS = 300_000;

/** A call to anywhere that the outbound guard permits. An answer of 400 or more is a failure. */
export const http = executor({
  type: types.http,
  async run(
    { method = "GET", url, headers = {}, query = {}, body },
    { outside, signal, ...tools },
  ) {
    const isText = typeof body === "string";
    const response = await outside.outbound.request({
      method,
      url: withQuery(url, query),
      headers: {
        ...(body !== undefined && !isText && { "content-type": "application/json" }),
        "idempotency-key": tools.idempotencyKey,
        ...lowerCased(headers),
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      timeoutMs: TIMEOUT_MAX_MS,
      maxResponseBytes: RESPONSE_BYTES_MAX,
      allowHttp: true,
      signal,
    });
    if (response.truncated) {
      throw new StepFailure("response_too_large", "The answer is larger than 1 MiB.");
    }
    const output = {
      status: response.status,
      headers: response.headers,
      body: contentOf(response.headers, response.body),
    };
    if (response.status < 400) return { output };
    const passing = response.status >= 500 || response.status === 408 || response.status === 429;
    tools.log("error", `${method} answered ${response.status}`, { body: output.body });
    throw new StepFailure("http_status", `The answer was ${response.status}.`, {
      retryable: passing,
    });
  },
});

function withQuery(url: string, query: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(query);
  if (names.length === 0 || !URL.canParse(url)) return url;
  const target = new URL(url);
  for (const name of names) {
    for (const value of [query[name]].flat()) {
      if (value !== undefined && value !== null) target.searchParams.append(name, textOf(value));
    }
  }
  return target.href;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
