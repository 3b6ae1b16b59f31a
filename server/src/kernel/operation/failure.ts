/** An error of one input field: a JSON pointer and a message. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
  /** The field title to show. */
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
  "The header X-Workspace is required.",
);
export const UnknownEnvironment = failure(
  "unknown_environment",
  400,
  "X-Environment must be production, staging or development.",
);
export const Unauthenticated = failure("unauthenticated", 401, "Authentication is required.");
export const Forbidden = failure(
  "forbidden",
  403,
  "The credential does not have the required permission.",
);

/** The failure for a missing permission. */
export function permissionFailure(name: string): Failure {
  return new Failure(Forbidden, {
    detail: `This requires the permission ${name}.`,
    // RFC 6750, 3.1: names the scope that the client has to request.
    headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${name}"` },
  });
}

export const NoSuchWorkspace = failure(
  "workspace_forbidden",
  403,
  "The workspace does not exist, or you are not a member of it.",
);
export const AddressForbidden = failure(
  "address_forbidden",
  403,
  "The credential can't be used from this IP address.",
);
export const CrossOrigin = failure(
  "cross_origin",
  403,
  "Requests with the session cookie must come from this site.",
);
export const SessionConfined = failure(
  "session_confined",
  403,
  "The credential belongs to one workspace, but this operation affects the whole account.",
);
export const NotFound = failure("not_found", 404, "Not found.");
export const MethodNotAllowed = failure(
  "method_not_allowed",
  405,
  "This path does not support the method.",
);
export const RequestTimeout = failure(
  "request_timeout",
  408,
  "The request took too long to arrive.",
);
export const Conflict = failure("conflict", 409, "The current state does not allow this action.");
export const IdempotencyInProgress = failure(
  "idempotency_in_progress",
  409,
  "The first request with this Idempotency-Key is still running.",
);
export const PreconditionFailed = failure(
  "precondition_failed",
  412,
  "The resource has changed since the version in If-Match.",
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
  "The body can only be compressed with gzip.",
);
export const Invalid = failure("invalid", 422, "The request is not valid.");
export const IdempotencyKeyReused = failure(
  "idempotency_key_reused",
  422,
  "This Idempotency-Key was already used for a different request.",
);
export const HeadersTooLarge = failure("headers_too_large", 431, "The headers are too large.");
export const RateLimited = failure("rate_limited", 429, "Too many requests. Wait and try again.");
export const Unavailable = failure(
  "unavailable",
  503,
  "The server is busy. Try again in a few seconds.",
);
export const Internal = failure("internal", 500, "An internal error occurred.");

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
