import { Readable } from "node:stream";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preParsingHookHandler,
  RouteOptions,
} from "fastify";
import type { Caller, RawRequest } from "../access/caller.ts";
import type { CredentialWatch } from "../access/credential-watch.ts";
import type { Platform, Operation } from "../contract.ts";
import { supportsDryRun } from "../operation/dry-run.ts";
import {
  Failure,
  invalidField,
  NotFound,
  Unauthenticated,
  UnknownCoding,
  WrongMediaType,
} from "../operation/failure.ts";
import { assertStorableTexts, FORM_MEDIA_TYPE, JSON_MEDIA_TYPE, toUpload } from "./request-body.ts";
import type { InvocationResult, RawInput } from "../operation/invocation.ts";
import { isEventStream } from "../operation/operation.ts";
import { authorise } from "../operation/layers/authorisation.ts";
import { perform } from "../operation/perform.ts";
import { EVENT_STREAM } from "../operation/response.ts";
import { classifyAddress } from "../outbound/ssrf-guard.ts";
import { type Authenticate, readToken, resolveCaller } from "./authenticate.ts";
import { matchesEtag } from "./compression/etag.ts";
import { decodeBody } from "./compression/request-inflater.ts";
import type { LoadShedder } from "./load-shedding.ts";
import { openRequestSpan, withinRequestSpan } from "./request-span.ts";
import type { StreamLimit } from "./stream-limit.ts";
import {
  constrainByReading,
  findMatch,
  matchOf,
  type Reading,
  readingOf,
} from "./routing/operation-match.ts";
import type { OperationMatch, PathTable } from "./routing/path-table.ts";
import { EVERY_PATH } from "./routing/rejection.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

export interface MountOptions {
  readonly platform: Platform;
  readonly operations: readonly Operation[];
  readonly paths: PathTable;
  readonly authenticate: Authenticate;
  readonly credentialWatch: CredentialWatch;
  readonly streamLimit: StreamLimit;
  readonly loadShedder: LoadShedder;
}

/**
 * Registers the operations. The framework's router took most of the start time for one route per operation.
 * Here `PathTable` finds the operation, and operations with the same kind of body share one framework route.
 */
export function mountOperations(app: FastifyInstance, options: MountOptions): void {
  app.decorateRequest("caller", null);
  const readings = new Map<string, Reading>();
  for (const operation of options.operations) {
    const reading = readingOf(operation);
    readings.set(reading.name, reading);
    options.paths.addOperation(operation);
  }
  constrainByReading(app, options.paths);
  for (const reading of readings.values()) {
    const route: Omit<RouteOptions, "method"> = {
      url: EVERY_PATH,
      constraints: { reading: reading.name },
      bodyLimit: reading.bytesMax,
      onRequest: (request, reply) => {
        openRequestSpan(request, matchOf(request).operation, options.platform.clock);
        return withinRequestSpan(request, () => admit(matchOf(request), request, reply, options));
      },
      handler: (request, reply) =>
        withinRequestSpan(request, () =>
          serve(matchOf(request).operation, request, reply, options),
        ),
    };
    const withBody = {
      preParsing: decodeBodyOf(reading),
      preValidation: async (request: FastifyRequest) =>
        assertMediaType(matchOf(request).operation, request),
    };
    // A GET has no body.
    const routes = [
      { ...route, method: "GET" },
      { ...route, ...withBody, method: ["POST", "PUT", "PATCH", "DELETE"] },
    ];
    for (const one of routes) {
      if (reading.kind === "streamed") mountUploadRoute(app, one);
      else if (reading.kind === "raw") mountRawRoute(app, one);
      else if (reading.kind === "raw or streamed") mountRawRoute(app, one, FILE_TYPES);
      else app.route(one);
    }
  }
}

/** With a callback, because most bodies are not encoded and need no promise. */
function decodeBodyOf({ kind, bytesMax }: Reading): preParsingHookHandler {
  return (request, _reply, _payload, done) => {
    if (request.headers["content-encoding"] === undefined) return done();
    // A compressed file is an ordinary file. A content coding would hide its length.
    if (kind === "streamed") return done(new Failure(UnknownCoding));
    try {
      done(null, decodeBody(request.raw, bytesMax));
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Media types of bodies that are or contain files. */
const FILE_TYPES =
  /^(multipart\/form-data|(audio|video|font)\/|image\/(?!svg)|application\/(octet-stream|pdf|zip|gzip|x-(tar|gzip|7z-compressed)|msword|vnd\.(?![^;]*\+(json|xml))))/i;

/** Registers a route in a separate scope without parsers. Some types are streamed. */
function mountRawRoute(app: FastifyInstance, route: RouteOptions, streamed?: RegExp): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    if (streamed) {
      scope.addContentTypeParser(streamed, (_request, payload, done) => done(null, payload));
    }
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) =>
      done(null, bytes),
    );
    scope.route(route);
  });
}

/** Registers a route in a separate scope whose only parser passes the body on as a stream. */
function mountUploadRoute(app: FastifyInstance, route: RouteOptions): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.route(route);
  });
}

/** Admits a request before its body is read: load, credential, workspace, permission. */
async function admit(
  { operation, params }: OperationMatch,
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, loadShedder, platform }: MountOptions,
): Promise<void> {
  request.params = params;
  loadShedder.assertCapacity();
  const services = { authenticate, services: platform };
  request.caller = await resolveCaller(operation, request, reply, services);
  authorise(operation, request.caller);
  // Clients without access to the event log learn about maintenance from this header.
  if (platform.maintenance.state !== null) reply.header("x-maintenance", "true");
  platform.maintenance.assertOpen(operation, request.caller);
  // From the log position before its read, a page follows all changes that the response lacks.
  if (operation.kind === "query" && request.caller.credential?.kind === "session") {
    reply.header("x-log-position", platform.commitFeed.settledId);
  }
}

/** The server has the parsers; the operation declares whether it accepts forms or texts. */
function assertMediaType(op: Operation, request: FastifyRequest): void {
  const { headers, body } = request;
  if (body === undefined || op.readsRequest || op.streamsBody) return;
  const name = mediaTypeOf(headers);
  if (name === op.acceptsText?.mediaType) {
    request.body = { [op.acceptsText.field]: body };
    return;
  }
  const accepted = name === JSON_MEDIA_TYPE || (name === FORM_MEDIA_TYPE && op.acceptsForm);
  if (!accepted) throw new Failure(WrongMediaType);
}

function mediaTypeOf(headers: FastifyRequest["headers"]): string {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase();
}

async function serve(
  op: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { platform, credentialWatch, streamLimit }: MountOptions,
): Promise<FastifyReply> {
  const { caller, headers } = request;
  if (!caller) throw new Error("A request reached its handler without having been admitted.");
  assertPath(request.params as object);
  assertStorableTexts(request.query as object, "?");
  const isDryRun = readDryRun(op, request);
  if (isEventStream(op)) {
    reply.raw.once(
      "close",
      streamLimit.take(caller.credential?.user.id ?? classifyAddress(request.ip)),
    );
  }
  const connection = op.longRunning ? trackConnection(request, reply, credentialWatch) : undefined;
  const outcome = await perform(platform, op, {
    caller: {
      ...caller,
      ...connection?.fields,
      ...(op.readsRequest && { request: toRawRequest(request) }),
      ...((op.streamsBody || request.body instanceof Readable) && toUpload(request)),
      ...(op.readsRange && {
        conditions: { range: single(headers.range), ifRange: single(headers["if-range"]) },
      }),
    },
    input: readInput(op, request),
    isDryRun,
    instance: pathOf(request),
    idempotencyKey: single(headers["idempotency-key"]),
    ifMatch: headers["if-match"],
  });
  if (connection?.isRevoked()) throw new Failure(Unauthenticated);
  // The correlation id finds and undoes all effects of the call. A replayed response belongs to another call.
  const isReplayed = outcome.headers["idempotency-replayed"] !== undefined;
  if (op.kind === "command" && !isReplayed) {
    reply.header("x-correlation-id", caller.cause.correlationId);
  }
  if (!isEventStream(op) || !outcome.stream) return sendResponse(request, reply, outcome);
  const stream = streamLimit.cutStalled(outcome.stream, reply.raw);
  return sendResponse(request, reply, { ...outcome, stream });
}

/** A path with invalid text is not found. */
function assertPath(params: object): void {
  try {
    assertStorableTexts(params, ":");
  } catch {
    throw new Failure(NotFound);
  }
}

/**
 * True if the client requests a dry run by preference or by parameter. The parameter is removed from the query,
 * unless the operation declares it; the preference then sets it.
 */
function readDryRun(op: Operation, { headers, query }: FastifyRequest): boolean {
  // Most requests are reads.
  if (op.kind === "query") return false;
  const parameters = query as Record<string, unknown>;
  const preferences = (single(headers["prefer"]) ?? "").split(",");
  const isPreferred = preferences.some((one) => one.trim().toLowerCase() === "dry-run");
  if (!supportsDryRun(op)) {
    const isOwn = op.query?.properties["dryRun"] !== undefined;
    if (isPreferred && isOwn) parameters["dryRun"] = "true";
    // A client that requests a dry run must not cause a real one. For an operation that accepts any request,
    // the headers belong to the sender.
    else if (isPreferred && !op.readsRequest) {
      throw invalidField("Prefer", "dry-run is not supported by this operation");
    }
    return false;
  }
  const { dryRun } = parameters;
  delete parameters["dryRun"];
  if (dryRun !== undefined && dryRun !== "true" && dryRun !== "false") {
    throw invalidField("?dryRun", "must be true or false");
  }
  return dryRun === "true" || isPreferred;
}

function readInput(op: Operation, { params, query, body }: FastifyRequest): RawInput {
  if (!op.readsRequest) {
    const sent = op.streamsBody ? undefined : body;
    return { params, query: op.query || hasKeys(query) ? query : undefined, body: sent };
  }
  // Any query is accepted, and only the declared parameters are checked.
  const known = Object.keys(op.query?.properties ?? {});
  const declared = Object.entries(query as object).filter(([name]) => known.includes(name));
  return { params, query: op.query && Object.fromEntries(declared), body: undefined };
}

function toRawRequest({ method, headers, query, body }: FastifyRequest): RawRequest {
  const named = Object.entries(headers).map(([name, value]) => [name, single(value) ?? ""]);
  return {
    method,
    bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    mediaType: mediaTypeOf(headers),
    headers: Object.fromEntries(named) as Record<string, string>,
    query: { ...(query as object) },
  };
}

function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: InvocationResult,
): FastifyReply {
  const { etag } = outcome.headers;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (etag !== undefined && isRead && matchesEtag(request.headers["if-none-match"], etag)) {
    return reply.code(304).header("etag", etag).send();
  }
  reply.code(outcome.status);
  if (outcome.body !== undefined && outcome.headers["content-type"] === undefined) {
    reply.type("application/json; charset=utf-8");
  }
  reply.headers(outcome.headers);
  // The older header cannot list allowed origins, so the policy replaces it.
  const policy = outcome.headers["content-security-policy"];
  if (policy !== undefined && FRAMEABLE.test(policy)) reply.removeHeader("x-frame-options");
  if (!outcome.stream) return reply.send(outcome.body);
  const { "content-length": length, "content-type": type } = outcome.headers;
  // A HEAD response has no body, so it is not read. The framework ignores bodies with length 0.
  const isHeadOnly = request.method === "HEAD" && (length !== undefined || type === EVENT_STREAM);
  return reply.send(Readable.from(isHeadOnly ? [] : outcome.stream, STREAM_OPTIONS));
}

const FRAMEABLE = /frame-ancestors (?!'none')/;

/** Back pressure: one chunk at a time, the next after the client has received the last. */
const STREAM_OPTIONS = { objectMode: false, highWaterMark: 1 };

/** The connection of a waiting client. */
interface Connection {
  readonly fields: Pick<Caller, "disconnected" | "lastEventId">;
  /** True if the client may no longer receive the response. */
  readonly isRevoked: () => boolean;
}

/** Tracks whether a waiting client is connected and still authorised. */
function trackConnection(
  request: FastifyRequest,
  reply: FastifyReply,
  credentialWatch: CredentialWatch,
): Connection {
  const disconnected = new AbortController();
  const { socket } = reply.raw;
  const { caller } = request;
  const token = caller?.credential && readToken(request)?.token;
  let isRevoked = false;
  const unwatch =
    caller &&
    token !== undefined &&
    credentialWatch.watch(token, caller, () => {
      isRevoked = true;
      disconnected.abort();
    });
  // A waiting client that closes its side has probably left. Only the next write would prove it.
  const onEnd = (): void => disconnected.abort();
  socket?.once("end", onEnd);
  reply.raw.once("close", () => {
    if (unwatch) unwatch();
    socket?.off("end", onEnd);
    // A HEAD client does not wait for the body.
    if (!reply.raw.writableFinished || request.method === "HEAD") disconnected.abort();
  });
  const lastEventId = single(request.headers["last-event-id"]);
  const { signal } = disconnected;
  return {
    fields: { disconnected: signal, ...(lastEventId !== undefined && { lastEventId }) },
    isRevoked: () => isRevoked,
  };
}

/** The path without its query, which can contain secrets. */
export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf("?");
  return end === -1 ? request.url : request.url.slice(0, end);
}

/** The path for the log. Paths of anonymous callers can contain their only secret, even if no route matches. */
export function loggedPathOf(request: FastifyRequest): string {
  const match = findMatch(request);
  if (match && (match.operation.readsRequest || match.url.includes(":token"))) return match.url;
  const path = pathOf(request);
  const [, area] = SECRET_PATH.exec(path) ?? [];
  return area === undefined ? path : `${area}…`;
}

/** Addresses that contain a secret, for any method. */
const SECRET_PATH = /^(\/(?:hooks|forms|chat|resume|listen|calendars|downloads|files|webhooks)\/)/;

const hasKeys = (value: unknown): boolean => Object.keys(value as object).length > 0;

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(",") : header;
}
