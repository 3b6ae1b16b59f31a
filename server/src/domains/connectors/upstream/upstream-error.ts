import { Failure, failure } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";

export const UpstreamFailed = failure(
  "upstream_failed",
  502,
  "The other system could not process the request.",
);
export const UpstreamTimedOut = failure(
  "upstream_timed_out",
  504,
  "The other system did not respond in time.",
);

/** The size of an upstream response excerpt in a failure. */
export const EXCERPT_CHARACTERS_MAX = 2_000;

interface Particulars {
  /** The status of the response, if there was one. */
  readonly status?: number;
  /** The headers of its response, already scrubbed. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of its response, already scrubbed. */
  readonly body?: unknown;
  /** The error code of the upstream, such as an SQLSTATE. */
  readonly code?: string;
  /** The upstream is unavailable for all callers: down, overloaded or unreachable. */
  readonly isDown?: boolean;
  readonly isTimeout?: boolean;
  /** Nothing was sent, so a retry is safe. */
  readonly unsent?: boolean;
  /** The wait that it requested. */
  readonly retryAfterMs?: number;
}

/** An upstream failure with a message that may be shown. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly particulars: Particulars;

  constructor(message: string, particulars: Particulars = {}) {
    // Stored in the database, which does not accept NUL.
    super(message.replaceAll("\u0000", "\uFFFD").toWellFormed());
    this.particulars = particulars;
  }
}

/** Converts errors of the guarded HTTP client to upstream errors; others are returned unchanged. */
export function upstreamErrorOf(error: unknown): unknown {
  if (error instanceof OutboundRefused) return new UpstreamError(error.message);
  if (!(error instanceof OutboundFailed)) return error;
  const { kind, unsent, message } = error;
  return new UpstreamError(message, { isDown: true, isTimeout: kind === "timeout", unsent });
}

/** The failure that a caller receives. */
export function failureOf({ message, particulars }: UpstreamError): Failure {
  const { status, headers, body, code, isTimeout, retryAfterMs } = particulars;
  return new Failure(isTimeout ? UpstreamTimedOut : UpstreamFailed, {
    detail: message,
    ...(retryAfterMs !== undefined && {
      headers: { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) },
    }),
    extra: {
      upstreamStatus: status ?? null,
      ...(code !== undefined && { upstreamCode: code }),
      ...(headers !== undefined && { upstreamHeaders: headers }),
      ...(body !== undefined && { upstreamBody: body }),
    },
  });
}
