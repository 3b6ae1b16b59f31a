/** An error of one input field: a JSON pointer and a message. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
  /** The title of the field, for people. */
  readonly title?: string;
  /** The character offset in an expression, for expression errors. */
  readonly position?: number;
}

export interface FailureType {
  /** A stable code that programs may test for. */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** The database constraint whose violation becomes this failure. */
  readonly constraint?: string;
}

interface Particulars {
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members of the problem document. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A failure that the caller can handle. Any other error is a bug: a 500 response, logged completely. */
export class Failure extends Error {
  readonly type: FailureType;
  readonly particulars: Particulars;

  constructor(type: FailureType, particulars: Particulars = {}) {
    super(particulars.detail ?? type.title);
    this.name = "Failure";
    this.type = type;
    this.particulars = particulars;
  }
}

export function failure(
  code: string,
  status: number,
  title: string,
  constraint?: string,
): FailureType {
  return constraint === undefined ? { code, status, title } : { code, status, title, constraint };
}

export const MalformedRequest = failure("malformed_request", 400, "The request can't be read.");
export const WorkspaceRequired = failure(
  "workspace_required",
  400,
  "The header X-Workspace must name a workspace.",
);
export const UnknownEnvironment = failure(
  "unknown_environment",
  400,
  "X-Environment must be production, staging or development.",
);
export const Unauthenticated = failure("unauthenticated", 401, "A valid credential is required.");
export const Forbidden = failure("forbidden", 403, "This credential may not do that.");

/** The failure for a missing permission. */
export function permissionFailure(name: string): Failure {
  return new Failure(Forbidden, {
    detail: `This needs the permission ${name}.`,
    // RFC 6750, 3.1: names the scope that the client has to request.
    headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${name}"` },
  });
}

export const NoSuchWorkspace = failure(
  "workspace_forbidden",
  403,
  "There is no such workspace, or the caller is not a member of it.",
);
export const AddressForbidden = failure(
  "address_forbidden",
  403,
  "This credential may not be used from this address.",
);
export const CrossOrigin = failure(
  "cross_origin",
  403,
  "A request that carries the session cookie must come from our own pages.",
);
export const SessionConfined = failure(
  "session_confined",
  403,
  "This credential is good for one workspace, and this concerns the whole account.",
);
export const NotFound = failure("not_found", 404, "There is no such thing here.");
export const MethodNotAllowed = failure("method_not_allowed", 405, "This path has other methods.");
export const RequestTimeout = failure(
  "request_timeout",
  408,
  "The request took too long to arrive.",
);
export const Conflict = failure("conflict", 409, "The present state does not allow that.");
export const IdempotencyInProgress = failure(
  "idempotency_in_progress",
  409,
  "The first request with this Idempotency-Key is still running.",
);
export const PreconditionFailed = failure(
  "precondition_failed",
  412,
  "The resource has changed since the version that If-Match names.",
);
export const TooLarge = failure("too_large", 413, "The request body is too large.");
export const WrongMediaType = failure(
  "wrong_media_type",
  415,
  "The body must be application/json.",
);
export const UnknownCoding = failure(
  "unknown_coding",
  415,
  "The only content coding of a request body is gzip.",
);
export const Invalid = failure("invalid", 422, "The request is well-formed but not valid.");
export const IdempotencyKeyReused = failure(
  "idempotency_key_reused",
  422,
  "This Idempotency-Key was used with another request.",
);
export const HeadersTooLarge = failure("headers_too_large", 431, "The headers are too large.");
export const RateLimited = failure("rate_limited", 429, "Too many requests; wait and try again.");
export const Unavailable = failure("unavailable", 503, "The server is busy; try again shortly.");
export const Internal = failure("internal", 500, "Something went wrong on our side.");

/** The failure for one field error. */
export function invalidField(path: string, message: string): Failure {
  return new Failure(Invalid, { detail: message, errors: [{ path, message }] });
}

/** The failure that reports all errors of the input. */
export function invalidInput(errors: readonly FieldError[]): Failure {
  const [first] = errors;
  return new Failure(Invalid, {
    detail: `${first?.path || "The body"} ${first?.message}`,
    errors,
  });
}

/** Throws if there are errors. */
export function assertNoErrors(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidInput(errors);
}
