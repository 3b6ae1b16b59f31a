import type { OutboundResponse } from "#kernel/outbound/outbound.ts";
import type { CredentialScrubber } from "../credential-scrubber.ts";
import { EXCERPT_CHARACTERS_MAX, UpstreamError } from "./upstream-error.ts";

/** What came back over HTTP. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** JSON as what it means, anything else as text. */
export function readResponse({ status, headers, body }: OutboundResponse): HttpResponse {
  const text = Buffer.from(body).toString();
  return { status, headers, body: meaningOf(headers["content-type"] ?? "", text) };
}

/** An answer that is a refusal: of this call when it is below 500, of any call when it is not. */
export function upstreamRefusal(
  answer: HttpResponse,
  discretion: CredentialScrubber,
  nowMs: number,
): UpstreamError {
  const { status, headers } = answer;
  const retryAfterMs = retryAfterOf(headers["retry-after"], nowMs);
  return new UpstreamError(`The other system answered ${status}.`, {
    status,
    body: excerpt(answer.body, discretion),
    isDown: status >= 500 || status === 429,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The beginning of what was said. It is scrubbed first: a cut could leave half of a secret. */
export function excerpt(body: unknown, discretion: CredentialScrubber): unknown {
  const scrubbed = discretion.scrub(body);
  const text = typeof scrubbed === "string" ? scrubbed : JSON.stringify(scrubbed);
  return text.length <= EXCERPT_CHARACTERS_MAX ? scrubbed : text.slice(0, EXCERPT_CHARACTERS_MAX);
}

function meaningOf(contentType: string, text: string): unknown {
  if (text === "" || !/[/+]json\b/i.test(contentType)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** In seconds, or as a date. */
function retryAfterOf(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
