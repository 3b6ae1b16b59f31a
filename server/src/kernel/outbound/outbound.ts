/**
 * The outbound HTTP client: every call that Millrace makes for its users passes here.
 *
 * Users choose the URLs, so each call may be hostile (SSRF). Only public addresses are reached, checked at
 * connect time; redirects are not followed unless requested; the whole call has one time limit, and the
 * response one size limit. Responses are not decompressed, so that limit holds for the stored body too. A
 * proxy in the environment is ignored: it would connect unchecked.
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

/** The end of a call, by its time limit or its caller's signal. */
export interface TimeLimit {
  /** Aborted when the call must end. */
  readonly signal: AbortSignal;
  /** Rejects at the same moment; it never resolves. */
  readonly over: Promise<never>;
  /** Stops the timer; to be called when the call has ended. */
  readonly stop: () => void;
}

// Beyond this, setTimeout fires at once.
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

/** Starts the clock of a call; `at` names the call in the failure's message. */
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
    end(new OutboundFailed("timeout", `${at}: no whole answer within ${timeoutMs} ms`));
  }, timeoutMs);
  const onAbort = (): void => end(new OutboundFailed("aborted", `${at}: cancelled`));
  // Not AbortSignal.any: the caller's signal may live as long as the process, and each call
  // would leave a listener on it.
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  const stop = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  return { signal: controller.signal, over, stop };
}

export interface OutboundOptions {
  /** CIDRs that may be reached although they are not public. */
  readonly allow: readonly string[];
  /** Certificates trusted beside those that Node trusts. */
  readonly extraCaPem?: string;
  /** From the name lookup to the end of the TLS handshake; 10 s unless set. */
  readonly connectTimeoutMs?: number;
  /** The one place of this installation itself that may be reached, as an address that others begin with. */
  readonly ownPlace?: string;
  /** For tests: resolves host names in the place of the operating system. */
  readonly lookup?: Lookup;
}

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestContent;
  /** Bounds the whole call: lookup, connection, redirects, and the last byte of the body. */
  readonly timeoutMs: number;
  /** More than this is cut off, see `truncated`. */
  readonly maxResponseBytes: number;
  /** Only https is allowed unless this is set. */
  readonly allowHttp?: boolean;
  /** How many redirects are followed, none unless set; see `followRedirect` for what is sent along. */
  readonly redirects?: number;
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  /** Names in lower case; a header that came several times is joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it came over the wire, still compressed if it was. */
  readonly body: Uint8Array;
  /** The body was longer than `maxResponseBytes`; `body` has its beginning. */
  readonly truncated: boolean;
  readonly durationMs: number;
}

/** A response of which the body has not arrived yet. */
export type ResponseHead = Pick<OutboundResponse, "status" | "headers"> & {
  /** Of the last request of a chain of redirects. */
  readonly url: URL;
};

/** A request whose response is read while it arrives. */
export type ExchangeRequest = Omit<OutboundRequest, "maxResponseBytes">;

/** Takes a response while it arrives; what it leaves unread is dropped, and the connection with it. */
export type Receive<T> = (head: ResponseHead, body: AsyncIterable<Uint8Array>) => Promise<T>;

/** Where test endpoints of this installation are: the one place of its own that webhooks may reach (ADR 0074). */
export const OWN_PATH = "/listen/";
const OWN_NAME = /^[\w-]+(?:\?[^#]*)?$/;
const CONNECT_TIMEOUT_MS = 10_000;
const REDIRECT_BYTES_MAX = 65_536;
const LOOPBACK = ["127.0.0.1", "::1"];

/** An HTTP client with a pool of connections, safe to point at URLs that strangers wrote. */
export class Outbound {
  readonly #agent: Agent;
  readonly #permits: (address: string) => boolean;
  readonly #lookup: Lookup;
  readonly #ownPlace: string | undefined;
  /** Reaches whatever the operator called our own address, which may be a private one. */
  readonly #ownAgent: Agent;
  /** Certificates that TLS trusts beside those that Node trusts; undefined when there are none. */
  readonly secureContext: SecureContext | undefined;
  /** Trusted certificates with those of Node, as PEM, for clients that make a context of their own. */
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
      // The time limit of the call covers both, and does not start anew with each chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: 60_000,
      // Connections per origin are not limited: tenants share origins (a chat service's hooks),
      // and one whose calls hang must not hold back the others. Callers bound their own calls.
    });
  }

  /**
   * Checks a URL as far as that goes without the network, when it is saved. Throws `OutboundRefused`. A host
   * name that passes can still be refused at the call.
   */
  check({ url, allowHttp = false }: Pick<OutboundRequest, "url" | "allowHttp">): URL {
    const target = parseTarget(url, allowHttp || this.#isOwnPlace(url));
    if (!this.#isOwnPlace(target.href)) this.checkHost(target.hostname);
    return target;
  }

  /** True of a plain name below our own place: dots that are encoded would be a way out of it for a proxy before us. */
  #isOwnPlace(url: string): boolean {
    if (this.#ownPlace === undefined || !URL.canParse(url)) return false;
    const { href } = new URL(url);
    return href.startsWith(this.#ownPlace) && OWN_NAME.test(href.slice(this.#ownPlace.length));
  }

  /** Checks a host by itself, where a protocol has no URLs. */
  checkHost(host: string): void {
    const address = literalAddress(host);
    // This name is the computer itself everywhere (RFC 6761), so nothing need be looked up.
    const addresses = /(^|\.)localhost$/i.test(host)
      ? LOOPBACK
      : address === undefined
        ? []
        : [address];
    if (addresses.length > 0 && !addresses.some(this.#permits)) throw refusedAddress(host);
  }

  /** A socket for protocols other than HTTP, not yet connected: it reaches permitted addresses only. */
  socket(): GuardedSocket {
    return new GuardedSocket({ permits: this.#permits, lookup: this.#lookup });
  }

  /**
   * The name lookup of clients that open their connections themselves: permitted addresses only. A literal
   * address is not looked up, so `checkHost` must have permitted it.
   */
  get lookup(): LookupFunction {
    return guardedLookup({ permits: this.#permits, lookup: this.#lookup });
  }

  /** Sends a request. A response of any status resolves; throws `OutboundRefused` or `OutboundFailed`. */
  request(request: OutboundRequest): Promise<OutboundResponse> {
    return tracePart(
      () => describeRequest(request),
      () => this.#readWhole(request),
      ({ status }) => ({ attributes: { "http.response.status_code": status } }),
    );
  }

  /** Sends a request, and has its response received while it arrives, within the one time limit. */
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
      // Undici heeds the signal only once it is connected, and a lookup can hang for long before
      // that, so the limit is raced against the call.
      const hop = { method, url, headers: { ...traceHeaders(), ...headers }, body };
      const call = this.#follow(hop, request, { signal: limit.signal, receive });
      return await Promise.race([call, limit.over]);
    } finally {
      limit.stop();
    }
  }

  /** Closes all connections at once; calls that still run fail as `closed`. */
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
      // Undici takes iterables of bytes, which its types do not say.
      const response = await agent.request(request as Dispatcher.RequestOptions);
      // One that is dropped reports so; whoever reads it is told by the read.
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

/** Names the host alone: paths and queries of others hold their secrets. */
function describeRequest({ method, url }: ExchangeRequest): SpanDescription {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return {
    name: method,
    kind: "client",
    attributes: { "http.request.method": method, "server.address": host },
  };
}

/** The body, with errors in the words of this client. */
async function* readBody(body: AsyncIterable<Uint8Array>, at: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toOutboundFailure(error, at);
  }
}

/** Reads a body up to a bound. */
export async function readUpTo(
  bytesMax: number,
  body: AsyncIterable<Uint8Array>,
): Promise<Pick<OutboundResponse, "body" | "truncated">> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, bytesMax - bytes));
    bytes += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
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

/** One context for all connections: reading some 150 certificates anew for each is slow. */
function readTrust(extraCaPem: string | undefined): readonly string[] | undefined {
  if (extraCaPem === undefined) return undefined;
  const extra = extraCaPem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
  if (extra.length === 0) throw new Error("The extra CA file holds no PEM certificate.");
  // OpenSSL skips a certificate that it cannot read, and calls would fail later without a hint; this throws.
  for (const pem of extra) new X509Certificate(pem);
  return [...getCACertificates("default"), ...extra];
}
