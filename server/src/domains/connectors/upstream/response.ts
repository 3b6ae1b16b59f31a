import type { OutboundResponse } from "#kernel/outbound/outbound.ts";
import { retryAfterMs as parseRetryAfter } from "#kernel/outbound/retry-after.ts";
import type { CredentialScrubber } from "../credential-scrubber.ts";
import { EXCERPT_CHARACTERS_MAX, UpstreamError } from "./upstream-error.ts";

/** A response of an upstream over HTTP. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Parses JSON; anything else stays text. */
export function readResponse({ status, headers, body }: OutboundResponse): HttpResponse {
  const text = Buffer.from(body).toString();
  return { status, headers, body: parseBody(headers["content-type"] ?? "", text) };
}

/** The error of an unsuccessful response: below 500 caused by this call, otherwise by the upstream. */
export function toUpstreamError(
  response: HttpResponse,
  scrubber: CredentialScrubber,
  nowMs: number,
): UpstreamError {
  const { status, headers } = response;
  const retryAfterMs = parseRetryAfter(headers["retry-after"], nowMs);
  return new UpstreamError(`The other system returned the status ${status}.`, {
    status,
    headers: scrubber.scrub(headers) as HttpResponse["headers"],
    body: excerpt(response.body, scrubber),
    isDown: status >= 500 || status === 429,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The start of a body. It is scrubbed before truncation, which could otherwise leave half of a secret. */
export function excerpt(body: unknown, scrubber: CredentialScrubber): unknown {
  const scrubbed = scrubber.scrub(body);
  const text = typeof scrubbed === "string" ? scrubbed : JSON.stringify(scrubbed);
  return text.length <= EXCERPT_CHARACTERS_MAX ? scrubbed : text.slice(0, EXCERPT_CHARACTERS_MAX);
}

function parseBody(contentType: string, text: string): unknown {
  if (text === "" || !/[/+]json\b/i.test(contentType)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
