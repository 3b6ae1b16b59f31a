/**
 * The errors of an outbound call. Messages name the method and the origin at most: paths
 * and queries of webhook addresses are often secrets, and so are headers and bodies. For the same
 * reason there is no `cause`: the parser's errors carry parts of the response.
 */

/** The reason why a request was not sent. */
export type RefusalReason = "url" | "scheme" | "address" | "method" | "header";

/**
 * The request was not sent, and will not be however often it is repeated. (When a redirect leads to a refused
 * address, the requests before it were sent.)
 */
export class OutboundRefused extends Error {
  override readonly name = "OutboundRefused";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** How a request failed; `closed` means that this client was closed, not the connection. */
export type FailureKind =
  | "timeout"
  | "aborted"
  | "dns"
  | "network"
  | "tls"
  | "protocol"
  | "redirects"
  | "closed";

/** The request failed without a whole response. The other side may have acted on it, unless `unsent`. */
export class OutboundFailed extends Error {
  override readonly name = "OutboundFailed";
  readonly kind: FailureKind;
  /** There was no connection, so that a retry repeats nothing. */
  readonly unsent: boolean;

  constructor(kind: FailureKind, message: string, { unsent = false } = {}) {
    super(message);
    this.kind = kind;
    this.unsent = unsent;
  }
}

/** Classifies what undici, node:net, node:tls and node:dns throw, by its code. */
export function toOutboundFailure(error: unknown, at: string): OutboundFailed | OutboundRefused {
  if (error instanceof OutboundRefused || error instanceof OutboundFailed) return error;
  const code = codeOf(error);
  const kind = kindOf(code);
  const unsent = kind === "dns" || UNCONNECTED.test(code);
  return new OutboundFailed(kind, `${at}: ${EXPLANATIONS[kind]} (${code})`, { unsent });
}

const EXPLANATIONS: Readonly<Record<FailureKind, string>> = {
  timeout: "no whole answer in time",
  aborted: "the call was cancelled",
  dns: "the host name was not found",
  network: "the connection failed",
  tls: "no trusted TLS connection was reached",
  protocol: "the answer was not valid HTTP",
  redirects: "too many redirects",
  closed: "the client is closed",
};

const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/^UND_ERR_CONNECT_TIMEOUT$|^ETIMEDOUT$/, "timeout"],
  [/^UND_ERR_(CLOSED|DESTROYED)$/, "closed"],
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|EREFUSED)$/, "dns"],
  // OpenSSL's verification errors carry names of their own, without a common prefix.
  [/^(ERR_TLS_|ERR_SSL_|EPROTO$)|CERT|UNABLE_TO_|SIGNATURE|CRL|INVALID_(CA|PURPOSE)/, "tls"],
  [/^(HPE_|HTTPParserError|UND_ERR_(HEADERS_OVERFLOW|RES_|NOT_SUPPORTED))/, "protocol"],
];

const UNCONNECTED = /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|E(HOST|NET)UNREACH|EADDRNOTAVAIL)$/;

function kindOf(code: string): FailureKind {
  return KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? "network";
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  // Happy Eyeballs reports one error per address; the first one is enough.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  // Undici's HTTPParserError has its code documented, and undefined.
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
