import { type HttpResponse, readResponse, upstreamRefusal } from "./response.ts";
import { UpstreamError, upstreamErrorOf } from "./upstream-error.ts";
import { withRetries } from "./retry.ts";
import { accessToken, dropToken } from "./oauth-token.ts";
import type { UpstreamConnection } from "./connection.ts";

export const RESPONSE_BYTES_MAX = 1_048_576;
const UNAUTHORISED = 401;
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

export type Headers = Readonly<Record<string, string>>;

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Headers;
  readonly body?: string;
  /** Whether doing it twice is doing it once; by the method unless said. */
  readonly idempotent?: boolean;
}

/** Sends a request with the connector's credentials. An answer of 400 or more is thrown. */
export async function callHttp(
  use: UpstreamConnection,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { retries, deadline } = use;
  const idempotent = request.idempotent ?? IDEMPOTENT.has(request.method);
  return withRetries({ retries, deadline, idempotent }, () => sendWithToken(use, request));
}

/** A token may be taken back before its time: then another one is asked for, once. */
async function sendWithToken(use: UpstreamConnection, request: HttpRequest): Promise<HttpResponse> {
  const { auth } = use;
  if (auth.kind !== "oauth2_client_credentials") return send(use, signed(use, request));
  const token = await accessToken(use, auth);
  try {
    return await send(use, withBearer(request, token));
  } catch (error) {
    const refused = error instanceof UpstreamError && error.particulars.status === UNAUTHORISED;
    if (!refused) throw error;
    await dropToken(use, auth, token);
    return send(use, withBearer(request, await accessToken(use, auth)));
  }
}

async function send(
  use: UpstreamConnection,
  { method, url, headers, body }: HttpRequest,
): Promise<HttpResponse> {
  const { platform, deadline, discretion, idempotencyKey } = use;
  try {
    const response = await platform.outbound.request({
      method,
      url: url.href,
      headers: {
        // Nothing is decompressed here.
        "accept-encoding": "identity",
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      timeoutMs: deadline.remainingMs(),
      maxResponseBytes: RESPONSE_BYTES_MAX,
      allowHttp: true,
      signal: deadline.signal,
    });
    const answer = readResponse(response);
    const { status } = answer;
    if (status >= 400) throw upstreamRefusal(answer, discretion, platform.clock.nowMs());
    if (response.truncated) throw new UpstreamError("The answer is larger than 1 MiB.", { status });
    return answer;
  } catch (error) {
    // The deadline's own words are better than "cancelled".
    deadline.signal.throwIfAborted();
    throw upstreamErrorOf(error);
  }
}

/** The request with what says who it is from. */
function signed({ auth }: UpstreamConnection, request: HttpRequest): HttpRequest {
  switch (auth.kind) {
    case "basic": {
      const pair = Buffer.from(`${auth.username}:${auth.password}`).toString("base64");
      return withHeader(request, "authorization", `Basic ${pair}`);
    }
    case "bearer":
      return withBearer(request, auth.token);
    case "api_key":
      if (auth.in !== "query") return withHeader(request, auth.name.toLowerCase(), auth.value);
      return { ...request, url: withParameter(request.url, auth.name, auth.value) };
    case "none":
    case "oauth2_client_credentials":
      return request;
  }
}

function withBearer(request: HttpRequest, token: string): HttpRequest {
  return withHeader(request, "authorization", `Bearer ${token}`);
}

function withHeader(request: HttpRequest, name: string, value: string): HttpRequest {
  return { ...request, headers: { ...request.headers, [name]: value } };
}

function withParameter(url: URL, name: string, value: string): URL {
  const extended = new URL(url);
  extended.searchParams.set(name, value);
  return extended;
}
