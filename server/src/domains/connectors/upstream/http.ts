import type { Auth, AuthorizationCode } from "../auth.ts";
import { grantedToken } from "../consent/granted-token.ts";
import { receiveContent, type ResponseForm } from "#domains/files/index.ts";
import { encodePathPart } from "#kernel/secrets/secret-forms.ts";
import type { RequestContent } from "#kernel/outbound/request-content.ts";
import { type HttpResponse, toUpstreamError } from "./response.ts";
import { UpstreamError, upstreamErrorOf } from "./upstream-error.ts";
import { withRetries } from "./retry.ts";
import { accessToken, dropToken, type TokenAuth } from "./oauth-token.ts";
import { withAwsSignature } from "./aws-signature.ts";
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
  readonly body?: RequestContent;
  /** How the response is parsed; default: by its media type. */
  readonly response?: ResponseForm;
  /** True if repeating it has no further effect; derived from the method by default. */
  readonly idempotent?: boolean;
  /** Default: `RESPONSE_BYTES_MAX`. */
  readonly maxResponseBytes?: number;
  /** Aborted when the response is no longer needed. */
  readonly signal?: AbortSignal;
  /** Called with each part of a successful response as it arrives. */
  readonly onBody?: (chunk: Uint8Array) => void;
}

/** Sends a request with the connector's credentials. Throws for status 400 and above. */
export async function callHttp(
  connection: UpstreamConnection,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { retries, deadline } = connection;
  const idempotent = request.idempotent ?? IDEMPOTENT.has(request.method);
  return withRetries({ retries, deadline, idempotent }, () => sendWithToken(connection, request));
}

/** Sends a request with a token. A token may be revoked before it expires: then a new one is requested, once. */
async function sendWithToken(
  connection: UpstreamConnection,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { auth } = connection;
  if (!("tokenUrl" in auth)) return send(connection, withCredentials(connection, request));
  const token = await tokenFor(connection, auth);
  try {
    return await send(connection, withBearer(request, token));
  } catch (error) {
    const refused = error instanceof UpstreamError && error.particulars.status === UNAUTHORISED;
    if (!refused) throw error;
    return send(connection, withBearer(request, await tokenFor(connection, auth, token)));
  }
}

/** Returns a token from credentials or consent, other than the rejected one. */
async function tokenFor(
  connection: UpstreamConnection,
  auth: TokenAuth | AuthorizationCode,
  refused?: string,
): Promise<string> {
  if (auth.kind === "oauth2_authorization_code") return grantedToken(connection, auth, refused);
  if (refused !== undefined) await dropToken(connection, auth, refused);
  return accessToken(connection, auth);
}

async function send(connection: UpstreamConnection, call: HttpRequest): Promise<HttpResponse> {
  const { method, url, headers, body, response: form = "auto", signal, onBody } = call;
  const bytesMax = call.maxResponseBytes ?? RESPONSE_BYTES_MAX;
  const { platform, deadline, scrubber, files, idempotencyKey } = connection;
  try {
    const request = {
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
      allowHttp: true,
      signal: signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal,
    };
    const { truncated, ...response } = await platform.outbound.exchange(
      request,
      async (head, content) => {
        const isData = head.status >= 400 || head.headers["content-length"] === "0";
        const received = await receiveContent(
          head,
          head.status < 300 ? tap(content, onBody) : content,
          {
            form: isData || method === "HEAD" || head.status === 204 ? "data" : form,
            bytesMax,
            keep: files.keep,
          },
        );
        return { status: head.status, headers: head.headers, ...received };
      },
    );
    const { status } = response;
    if (status >= 400) throw toUpstreamError(response, scrubber, platform.clock.nowMs());
    if (truncated) {
      const mebibytes = bytesMax / RESPONSE_BYTES_MAX;
      throw new UpstreamError(`The response is larger than ${mebibytes} MiB.`, { status });
    }
    return response;
  } catch (error) {
    // The deadline's own message is better than "cancelled".
    deadline.signal.throwIfAborted();
    throw upstreamErrorOf(error);
  }
}

/** Forwards the content, and passes each chunk to a callback. */
async function* tap(
  content: AsyncIterable<Uint8Array>,
  onBody: ((chunk: Uint8Array) => void) | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    onBody?.(chunk);
    yield chunk;
  }
}

/** Adds the credentials to a request. */
function withCredentials(connection: UpstreamConnection, request: HttpRequest): HttpRequest {
  const { auth, platform } = connection;
  switch (auth.kind) {
    case "basic": {
      const pair = Buffer.from(`${auth.username}:${auth.password}`).toString("base64");
      return withHeader(request, "authorization", `Basic ${pair}`);
    }
    case "bearer":
      return withBearer(request, auth.token);
    case "api_key":
      return withApiKey(request, auth);
    case "aws_signature":
      return withAwsSignature(request, auth, platform.clock.nowMs());
    case "none":
    case "oauth2_client_credentials":
    case "oauth2_authorization_code":
    case "oauth2_jwt":
      return request;
  }
}

function withApiKey(
  request: HttpRequest,
  { name, value, prefix = "", in: place = "header" }: Extract<Auth, { kind: "api_key" }>,
): HttpRequest {
  const { url } = request;
  switch (place) {
    case "query":
      return { ...request, url: withParameter(url, name, prefix + value) };
    case "path": {
      const extended = new URL(url);
      const part = encodePathPart(value);
      // An action may mark the position in the path; otherwise it is the first segment.
      extended.pathname = url.pathname.includes("/$key/")
        ? url.pathname.replace("/$key/", () => `/${name}${part}/`)
        : `/${name}${part}${url.pathname}`;
      return { ...request, url: extended };
    }
    case "header":
      return withHeader(request, name.toLowerCase(), prefix + value);
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
