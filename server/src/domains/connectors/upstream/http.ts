import type { AuthorizationCode, ClientCredentials } from "../auth.ts";
import { grantedToken } from "../consent/granted-token.ts";
import { type HttpResponse, readResponse, toUpstreamError } from "./response.ts";
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
  /** True when repeating it has no further effect; follows from the method unless set. */
  readonly idempotent?: boolean;
}

/** Sends a request with the connector's credentials. An answer of 400 or more is thrown. */
export async function callHttp(
  connection: UpstreamConnection,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { retries, deadline } = connection;
  const idempotent = request.idempotent ?? IDEMPOTENT.has(request.method);
  return withRetries({ retries, deadline, idempotent }, () => sendWithToken(connection, request));
}

/** A token may be revoked before it expires: then another one is requested, once. */
async function sendWithToken(
  connection: UpstreamConnection,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { auth } = connection;
  if (auth.kind !== "oauth2_client_credentials" && auth.kind !== "oauth2_authorization_code")
    return send(connection, withCredentials(connection, request));
  const token = await tokenFor(connection, auth);
  try {
    return await send(connection, withBearer(request, token));
  } catch (error) {
    const refused = error instanceof UpstreamError && error.particulars.status === UNAUTHORISED;
    if (!refused) throw error;
    return send(connection, withBearer(request, await tokenFor(connection, auth, token)));
  }
}

/** A token by credentials or by consent, and another one than was refused. */
async function tokenFor(
  connection: UpstreamConnection,
  auth: ClientCredentials | AuthorizationCode,
  refused?: string,
): Promise<string> {
  if (auth.kind === "oauth2_authorization_code") return grantedToken(connection, auth, refused);
  if (refused !== undefined) await dropToken(connection, auth, refused);
  return accessToken(connection, auth);
}

async function send(
  connection: UpstreamConnection,
  { method, url, headers, body }: HttpRequest,
): Promise<HttpResponse> {
  const { platform, deadline, scrubber, idempotencyKey } = connection;
  try {
    const received = await platform.outbound.request({
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
    const response = readResponse(received);
    const { status } = response;
    if (status >= 400) throw toUpstreamError(response, scrubber, platform.clock.nowMs());
    if (received.truncated) throw new UpstreamError("The answer is larger than 1 MiB.", { status });
    return response;
  } catch (error) {
    // The deadline's own message is better than "cancelled".
    deadline.signal.throwIfAborted();
    throw upstreamErrorOf(error);
  }
}

/** Adds the credentials to a request. */
function withCredentials({ auth }: UpstreamConnection, request: HttpRequest): HttpRequest {
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
    case "oauth2_authorization_code":
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
