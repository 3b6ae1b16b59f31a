/**
 * The outbound HTTP client for all calls that Millrace makes for its users.
 *
 * Users choose the URLs, so each call can be hostile (SSRF). Only public addresses are allowed, checked at
 * connect time. Redirects are not followed by default. The whole call has one time limit, and the response one
 * size limit. Responses are not decompressed, so the limit also applies to the stored body. A proxy in the
 * environment is ignored, because it would bypass the check.
 */
import { X509Certificate } from "node:crypto";
import type { LookupFunction } from "node:net";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { Agent, type Dispatcher } from "undici";
import { toOutboundFailure, OutboundFailed } from "./error.ts";
import {
  guardedConnector,
  guardedLookup,
  type Lookup,
  lookupBySystem,
  refusedAddress,
} from "./guarded-connector.ts";
import { followRedirect, type Hop } from "./redirect.ts";
import { type RequestContent, toSentBody } from "./request-content.ts";
import { checkHeaders, checkMethod, literalAddress, parseTarget } from "./request-checks.ts";
import { GuardedSocket } from "./socket.ts";
import { type SpanDescription, traceHeaders, tracePart } from "../telemetry/span.ts";
import { isInCidr, isPublic, parseCidr } from "./ssrf-guard.ts";

export { OutboundFailed, OutboundRefused } from "./error.ts";

/** The end of a call by timeout or the caller's signal. */
export interface TimeLimit {
  /** Aborted when the call must end. */
  readonly signal: AbortSignal;
  /** Rejects at the same time. Never resolves. */
  readonly over: Promise<never>;
  /** Stops the timer. Must be called after the call. */
  readonly stop: () => void;
}

// Above this, setTimeout fires immediately.
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

/** Starts the timeout of a call. `at` names the call in the failure's message. */
function startTimeLimit(
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  at: string,
): TimeLimit {
  if (!(timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS)) throw new RangeError("Invalid timeoutMs");
  const controller = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (failure: OutboundFailed): void => {
    controller.abort(failure);
    reject(failure);
  };
  const timer = setTimeout(() => {
    end(new OutboundFailed("timeout", `${at}: no complete response within ${timeoutMs} ms`));
  }, timeoutMs);
  const onAbort = (): void => end(new OutboundFailed("aborted", `${at}: cancelled`));
  // AbortSignal.any would leave a listener per call on a caller's signal that can live as long as the process.
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  const stop = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  return { signal: controller.signal, over, stop };
}

export interface OutboundOptions {
  /** CIDRs of non-public addresses that are allowed. */
  readonly allow: readonly string[];
  /** Certificates trusted in addition to those of Node. */
  readonly extraCaPem?: string;
  /** From the name lookup to the end of the TLS handshake. Default: 10 s. */
  readonly connectTimeoutMs?: number;
  /** The only address prefix of this installation that calls can reach. */
  readonly ownPlace?: string;
  /** For tests: replaces the name lookup of the operating system. */
  readonly lookup?: Lookup;
}

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestContent;
  /** Limits the whole call: lookup, connection, redirects and body. */
  readonly timeoutMs: number;
  /** The rest is cut off, see `truncated`. */
  readonly maxResponseBytes: number;
  /** If false, only https is allowed. */
  readonly allowHttp?: boolean;
  /** The maximum number of redirects. Default: 0. See `followRedirect`. */
  readonly redirects?: number;
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  /** Lower-case names. A repeated header is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** As received, not decompressed. */
  readonly body: Uint8Array;
  /** True if the body was longer than `maxResponseBytes`. `body` contains its beginning. */
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** A response whose body has not arrived. */
export type ResponseHead = Pick<OutboundResponse, "status" | "headers"> & {
  /** The URL of the last request in a chain of redirects. */
  readonly url: URL;
};

/** A request whose response is streamed. */
export type ExchangeRequest = Omit<OutboundRequest, "maxResponseBytes">;

/** Reads a streamed response. Unread data is dropped together with the connection. */
export type Receive<T> = (head: ResponseHead, body: AsyncIterable<Uint8Array>) => Promise<T>;

/** The path of this installation's test endpoints: the only local path that webhooks can reach (ADR 0074). */
export const OWN_PATH = "/listen/";
const OWN_NAME = /^[\w-]+(?:\?[^#]*)?$/;
const CONNECT_TIMEOUT_MS = 10_000;
const REDIRECT_BYTES_MAX = 65_536;
const LOOPBACK = ["127.0.0.1", "::1"];

/** An HTTP client with a connection pool, safe for URLs from untrusted users. */
export class Outbound {
  readonly #agent: Agent;
  readonly #permits: (address: string) => boolean;
  readonly #lookup: Lookup;
  readonly #ownPlace: string | undefined;
  /** Can reach the installation's own address, which may be private. */
  readonly #ownAgent: Agent;
  /** Additionally trusted certificates, if any. */
  readonly secureContext: SecureContext | undefined;
  /** Trusted certificates including Node's, in PEM, for clients that create a TLS context themselves. */
  readonly trustedCertificates: readonly string[] | undefined;

  constructor(options: OutboundOptions) {
    this.#permits = compileAllowList(options.allow);
    this.#lookup = options.lookup ?? lookupBySystem;
    this.trustedCertificates = readTrust(options.extraCaPem);
    this.secureContext =
      this.trustedCertificates && createSecureContext({ ca: [...this.trustedCertificates] });
    this.#ownPlace = options.ownPlace;
    this.#ownAgent = new Agent({
      allowH2: false,
      connect: {
        rejectUnauthorized: true,
        timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
        ...(this.secureContext !== undefined && { secureContext: this.secureContext }),
      },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#agent = new Agent({
      allowH2: false,
      connect: guardedConnector({
        permits: this.#permits,
        lookup: this.#lookup,
        secureContext: this.secureContext,
        connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      }),
      // The timeout of the call covers both and does not restart with each chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: 60_000,
      // Connections per origin are unlimited: tenants share origins (a chat service's webhooks), and hanging
      // calls of one must not delay the others. Callers limit their calls.
    });
  }

  /**
   * Checks a URL without the network, for example when it is saved. Throws `OutboundRefused`. A host name that
   * passes can still be refused at the call.
   */
  check({ url, allowHttp = false }: Pick<OutboundRequest, "url" | "allowHttp">): URL {
    const target = parseTarget(url, allowHttp || this.#isOwnPlace(url));
    if (!this.#isOwnPlace(target.href)) this.checkHost(target.hostname);
    return target;
  }

  /** True for a plain name below the installation's own path. Encoded dots could escape the path in a proxy. */
  #isOwnPlace(url: string): boolean {
    if (this.#ownPlace === undefined || !URL.canParse(url)) return false;
    const { href } = new URL(url);
    return href.startsWith(this.#ownPlace) && OWN_NAME.test(href.slice(this.#ownPlace.length));
  }

  /** Checks a host, for protocols without URLs. */
  checkHost(host: string): void {
    const address = literalAddress(host);
    // This name always means the local machine (RFC 6761), so no lookup is needed.
    const addresses = /(^|\.)localhost$/i.test(host)
      ? LOOPBACK
      : address === undefined
        ? []
        : [address];
    if (addresses.length > 0 && !addresses.some(this.#permits)) throw refusedAddress(host);
  }

  /** An unconnected socket for protocols other than HTTP, limited to permitted addresses. */
  socket(): GuardedSocket {
    return new GuardedSocket({ permits: this.#permits, lookup: this.#lookup });
  }

  /**
   * A name lookup for clients that open connections themselves, limited to permitted addresses. Literal
   * addresses are not looked up, so `checkHost` must have permitted them.
   */
  get lookup(): LookupFunction {
    return guardedLookup({ permits: this.#permits, lookup: this.#lookup });
  }

  /** Sends a request. Resolves for any status. Throws `OutboundRefused` or `OutboundFailed`. */
  request(request: OutboundRequest): Promise<OutboundResponse> {
    return tracePart(
      () => describeRequest(request),
      () => this.#readWhole(request),
      ({ status }) => ({ attributes: { "http.response.status_code": status } }),
    );
  }

  /** Sends a request and streams its response to `receive`, within one timeout. */
  exchange<T>(request: ExchangeRequest, receive: Receive<T>): Promise<T> {
    return tracePart(
      () => describeRequest(request),
      () => this.#exchange(request, receive),
      () => ({}),
    );
  }

  async #readWhole(request: OutboundRequest): Promise<OutboundResponse> {
    const startedAt = performance.now();
    const response = await this.#exchange(request, async ({ status, headers }, body) => ({
      status,
      headers,
      ...(await readUpTo(request.maxResponseBytes, body)),
    }));
    return { ...response, durationMs: performance.now() - startedAt };
  }

  async #exchange<T>(request: ExchangeRequest, receive: Receive<T>): Promise<T> {
    const { method, headers = {}, body } = request;
    const url = this.check(request);
    checkMethod(method);
    checkHeaders(headers);
    const limit = startTimeLimit(request, `${method} ${url.origin}`);
    try {
      // Undici ignores the signal until it is connected, and a lookup can hang before that, so the timeout
      // races the call.
      const hop = { method, url, headers: { ...traceHeaders(), ...headers }, body };
      const call = this.#follow(hop, request, { signal: limit.signal, receive });
      return await Promise.race([call, limit.over]);
    } finally {
      limit.stop();
    }
  }

  /** Closes all connections immediately. Running calls fail as `closed`. */
  async close(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#ownAgent.destroy()]);
  }

  async #follow<T>(
    first: Hop,
    request: ExchangeRequest,
    { signal, receive }: { readonly signal: AbortSignal; readonly receive: Receive<T> },
  ): Promise<T> {
    const { redirects = 0, allowHttp = false } = request;
    let hop = first;
    for (let followed = 0; ; followed += 1) {
      const { url } = hop;
      const at = `${hop.method} ${url.origin}`;
      const response = await this.#send(hop, signal);
      const { status, headers, body } = response;
      const next = redirects > 0 ? followRedirect(hop, status, headers["location"]) : undefined;
      if (next === undefined) {
        try {
          return await receive({ status, headers, url }, readBody(body, at));
        } finally {
          if (!body.readableEnded) body.destroy();
        }
      }
      await body.dump({ limit: REDIRECT_BYTES_MAX }).catch(() => undefined);
      if (followed === redirects) {
        throw new OutboundFailed(
          "redirects",
          `${first.method} ${first.url.origin}: more than ${redirects} redirects`,
        );
      }
      hop = { ...next, url: this.check({ url: next.location, allowHttp }) };
    }
  }

  async #send(hop: Hop, signal: AbortSignal) {
    const { method, url } = hop;
    const { body, headers: framing } = toSentBody(hop.body);
    const headers = { ...hop.headers, ...framing };
    const path = url.pathname + url.search;
    try {
      signal.throwIfAborted();
      const request = { origin: url.origin, path, method, headers, body, signal };
      const agent = this.#isOwnPlace(url.href) ? this.#ownAgent : this.#agent;
      // Undici accepts iterables of bytes, although its types do not.
      const response = await agent.request(request as Dispatcher.RequestOptions);
      // A dropped body emits an error; a reader gets it from the read.
      response.body.on("error", () => undefined);
      return {
        status: response.statusCode,
        headers: joinHeaders(response.headers),
        body: response.body,
      };
    } catch (error) {
      throw toOutboundFailure(error, `${method} ${url.origin}`);
    }
  }
}

/** Contains only the host, because paths and queries can contain secrets. */
function describeRequest({ method, url }: ExchangeRequest): SpanDescription {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return {
    name: method,
    kind: "client",
    attributes: { "http.request.method": method, "server.address": host },
  };
}

/** The body, with errors converted to `OutboundFailed`. */
async function* readBody(body: AsyncIterable<Uint8Array>, at: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toOutboundFailure(error, at);
  }
}

/** Reads a body up to a maximum size. */
export async function readUpTo(
  bytesMax: number,
  body: AsyncIterable<Uint8Array>,
): Promise<Pick<OutboundResponse, "body" | "truncated">> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, bytesMax - bytes));
    bytes += chunk.length;
    // Leaving the loop destroys the stream and its connection.
    if (bytes > bytesMax) return { body: Buffer.concat(chunks), truncated: true };
  }
  return { body: Buffer.concat(chunks), truncated: false };
}

function joinHeaders(
  headers: Dispatcher.ResponseData["headers"],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = ""]) => [
      name,
      typeof value === "string" ? value : value.join(", "),
    ]),
  );
}

function compileAllowList(allow: readonly string[]): (address: string) => boolean {
  const allowed = allow.map((text) => {
    const cidr = parseCidr(text);
    if (cidr === undefined) throw new Error(`Not a CIDR: ${text}`);
    return cidr;
  });
  return (address) => isPublic(address) || allowed.some((cidr) => isInCidr(address, cidr));
}

/** One context for all connections, because parsing about 150 certificates for each is slow. */
function readTrust(extraCaPem: string | undefined): readonly string[] | undefined {
  if (extraCaPem === undefined) return undefined;
  const extra = extraCaPem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
  if (extra.length === 0) throw new Error("The extra CA file holds no PEM certificate.");
  // OpenSSL ignores unreadable certificates, and calls would fail later without an explanation. This throws.
  for (const pem of extra) new X509Certificate(pem);
  return [...getCACertificates("default"), ...extra];
}
