import type { Operation } from "./contract.ts";
import type { Exchange, Received } from "./exchange.ts";

/** Part of the resources in workspace B. Must not be visible in A. */
export const FOREIGN_MARK = "kanarienvogel-b";
/** Part of secret values. Must not be visible anywhere. */
export const SECRET_MARK = "kanarienvogel-geheim";

/** Statuses that any operation may return, because they concern the request itself. */
const GENERAL = new Set([304, 405, 431]);
/** Internal details: our file names, Node's, or database messages about tables. */
const INNARDS =
  /\n\s+at |node:internal|\/server\/src\/|\.ts:\d+|syntax error at or near|violates .{1,40} constraint|relation "|invalid input syntax for|current transaction is aborted|could not serialize|deadlock detected|\bTypeError\b|\bRangeError\b|Cannot read propert/;
/** They run the caller's own SQL or program, whose errors the caller may read. */
const TELL_OF_PROGRAMS = /^(queries|migrations|artifacts|runs|workflows|reports|scheduled_jobs)\./;

/** The errors of a response, usually none. */
export function* faultsOf(exchange: Exchange): Generator<string> {
  const { op, received, side, sent } = exchange;
  const { status, text } = received;
  if (status >= 500 && !isUpstream(exchange)) yield `answered ${status}`;
  if (side !== "b" && text.includes(FOREIGN_MARK)) yield "shows what is workspace B's";
  if (text.includes(SECRET_MARK)) yield "shows a secret";
  if (status >= 400 && INNARDS.test(text) && !TELL_OF_PROGRAMS.test(op?.name ?? "")) {
    yield "shows its innards";
  }
  const id = sent.headers["x-request-id"];
  const isFit = id !== undefined && /^[\x21-\x7e]{1,128}$/.test(id);
  if (isFit && received.headers["x-request-id"] !== id) yield "lost the request's id";
  if (status >= 400) yield* faultsOfProblem(exchange);
  if (op && !isGuarded(exchange)) yield* faultsAgainst(op, received);
  else if (status < 400 && sent.method !== "OPTIONS") yield `answered ${status} on no route`;
}

/**
 * A 503 for load shedding or an unavailable external system, and responses written by a handler's author, are valid.
 */
function isUpstream({ op, received: { status, headers, body } }: Exchange): boolean {
  const { code } = (body ?? {}) as { code?: unknown };
  if (status === 503) return headers["retry-after"] !== undefined || code === "circuit_open";
  if (op?.statuses.has("default")) return code !== "internal";
  return status !== 500 && op?.statuses.has(String(status)) === true;
}

/** If-Match with a wrong version, or for a resource without one, gives this error in any operation. */
function isGuarded({ sent, received }: Exchange): boolean {
  return received.status === 412 && sent.headers["if-match"] !== undefined;
}

/** Checks the statuses, media types and schemas of the description. */
function* faultsAgainst(op: Operation, received: Received): Generator<string> {
  const { status, body, headers, text, cut } = received;
  const reply = op.replies.get(String(status)) ?? op.replies.get("default");
  if (!reply) {
    if (!GENERAL.has(status)) yield `answered ${status}, which is not declared`;
    return;
  }
  const mediaType = String(headers["content-type"] ?? "").split(";")[0] ?? "";
  // The author of a handler defines its responses.
  if (op.statuses.has("default") && mediaType !== "application/problem+json") return;
  if (cut || reply.mediaTypes.length === 0) {
    if (reply.mediaTypes.length === 0 && text !== "") {
      yield `answered ${status} with a body that is not declared`;
    }
    return;
  }
  if (!reply.mediaTypes.includes(mediaType)) {
    return yield `answered ${status} as ${mediaType || "nothing"}`;
  }
  const fault = reply.faultOf(body, mediaType);
  if (fault !== undefined) yield `answered ${status} against its schema: ${plain(fault)}`;
}

interface Problem {
  readonly type?: unknown;
  readonly status?: unknown;
  readonly code?: unknown;
  readonly instance?: unknown;
  readonly requestId?: unknown;
  readonly detail?: unknown;
  readonly errors?: readonly { readonly path?: unknown; readonly message?: unknown }[];
  readonly success?: unknown;
}

const SDK_PATH = /^\/api\/(v1\/)?flowsdk\//;
const PLACE = /^([/?:].*|[A-Z][A-Za-z-]+|line \d+.*)?$/s;

function* faultsOfProblem({ sent, received }: Exchange): Generator<string> {
  const { status, body, headers } = received;
  if (!String(headers["content-type"]).startsWith("application/problem+json")) return;
  const problem = (body ?? {}) as Problem;
  const path = sent.path.split("?")[0] ?? "";
  if (problem.status !== status) yield "its problem has another status";
  if (problem.type !== `urn:millrace:problem:${String(problem.code)}`) yield "its problem's type";
  if (typeof problem.code !== "string" || !/^[a-z0-9_]+$/.test(problem.code)) yield "its code";
  if (problem.instance !== path) yield "its problem names another instance";
  if (problem.requestId !== headers["x-request-id"]) yield "its problem names another request";
  if (typeof problem.detail !== "string" || problem.detail === "")
    yield "its problem has no detail";
  if (SDK_PATH.test(path) && problem.success !== false) yield "its problem has no success: false";
  if (problem.code === "invalid" || problem.errors !== undefined) yield* faultsOfErrors(problem);
  if (status === 401 && headers["www-authenticate"] === undefined) yield "401 without a challenge";
  if (status === 429 && headers["retry-after"] === undefined) yield "429 without Retry-After";
}

function* faultsOfErrors({ errors }: Problem): Generator<string> {
  if (!Array.isArray(errors) || errors.length === 0) return yield "422 without its faults";
  for (const { path, message } of errors as NonNullable<Problem["errors"]>) {
    if (typeof path !== "string" || !PLACE.test(path)) yield "a fault without its place";
    if (typeof message !== "string" || message === "") yield "a fault without a word";
  }
}

/** Removes variable parts, so that equal faults are counted together. */
function plain(fault: string): string {
  return fault.replaceAll(/\/\d+/g, "/n");
}
