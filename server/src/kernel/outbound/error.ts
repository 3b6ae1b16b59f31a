/**
 * Errors of outbound calls. Messages contain at most the method and the origin: paths and queries of webhook
 * addresses are often secret, as are headers and bodies. There is no `cause` for the same reason, because
 * parser errors contain parts of the response.
 */

/** Why a request was not sent. */
export type RefusalReason = "url" | "scheme" | "address" | "method" | "header";

/**
 * The request was not sent, and a retry cannot succeed. (If a redirect was refused, the earlier requests were
 * sent.)
 */
export class OutboundRefused extends Error {
  override readonly name = "OutboundRefused";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** How a request failed. `closed` means that this client was closed, not the connection. */
export type FailureKind =
  | "timeout"
  | "aborted"
  | "dns"
  | "network"
  | "tls"
  | "protocol"
  | "redirects"
  | "closed";

/** The request failed without a complete response. The server may have processed it, unless `unsent`. */
export class OutboundFailed extends Error {
  override readonly name = "OutboundFailed";
  readonly kind: FailureKind;
  /** No connection was made, so a retry repeats nothing. */
  readonly unsent: boolean;

  constructor(kind: FailureKind, message: string, { unsent = false } = {}) {
    super(message);
    this.kind = kind;
    this.unsent = unsent;
  }
}

/** Classifies errors of undici, node:net, node:tls and node:dns by code. */
export function toOutboundFailure(error: unknown, at: string): OutboundFailed | OutboundRefused {
  if (error instanceof OutboundRefused || error instanceof OutboundFailed) return error;
  const code = codeOf(error);
  const kind = kindOf(code);
  const unsent = kind === "dns" || UNCONNECTED.test(code);
  return new OutboundFailed(kind, `${at}: ${EXPLANATIONS[kind]} (${code})`, { unsent });
}

const EXPLANATIONS: Readonly<Record<FailureKind, string>> = {
  timeout: "no complete response in time",
  aborted: "the call was cancelled",
  dns: "the host name was not found",
  network: "the connection failed",
  tls: "the TLS connection failed or is not trusted",
  protocol: "the response was not valid HTTP",
  redirects: "too many redirects",
  closed: "the HTTP client is closed",
};

const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/^UND_ERR_CONNECT_TIMEOUT$|^ETIMEDOUT$/, "timeout"],
  [/^UND_ERR_(CLOSED|DESTROYED)$/, "closed"],
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|EREFUSED)$/, "dns"],
  // OpenSSL's verification errors have various names without a common prefix.
  [/^(ERR_TLS_|ERR_SSL_|EPROTO$)|CERT|UNABLE_TO_|SIGNATURE|CRL|INVALID_(CA|PURPOSE)/, "tls"],
  [/^(HPE_|HTTPParserError|UND_ERR_(HEADERS_OVERFLOW|RES_|NOT_SUPPORTED))/, "protocol"],
];

const UNCONNECTED = /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|E(HOST|NET)UNREACH|EADDRNOTAVAIL)$/;

function kindOf(code: string): FailureKind {
  return KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? "network";
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  // Happy Eyeballs reports one error per address. The first is enough.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  // The code of undici's HTTPParserError is documented but undefined.
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
