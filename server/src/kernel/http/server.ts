import { CredentialWatch } from "../access/credential-watch.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Logger } from "pino";
import { sqlStateOf } from "../db/errors.ts";
import type { Kernel } from "../kernel.ts";
import {
  Failure,
  type FailureType,
  HeadersTooLarge,
  Internal,
  MalformedRequest,
  NotFound,
  RequestTimeout,
  TooLarge,
  Unavailable,
  WrongMediaType,
} from "../operation/failure.ts";
import type { Operation } from "../contract.ts";
import { renderFailure, toFailure, toProblem } from "../operation/problem.ts";
import { requestIdOf } from "./authenticate.ts";
import { Connections, SERVER_OPTIONS } from "./connections.ts";
import { LoadShedder } from "./load-shedding.ts";
import { Metrics } from "./metrics.ts";
import { mountProbes } from "./probes.ts";
import { mountReference } from "./reference/mount-reference.ts";
import { ResponseCompressor } from "./compression/response-compressor.ts";
import {
  parseLargeBody,
  FORM_MEDIA_TYPE,
  JSON_MEDIA_TYPE,
  parseBody,
  parseForm,
  parseText,
} from "./request-body.ts";
import { publicUrl } from "../settings.ts";
import { ConsoleFiles } from "./console.ts";
import { CrossOriginPolicy } from "./routing/cross-origin.ts";
import { HostRewriter } from "./routing/host-rewriter.ts";
import { BODY_BYTES_MAX, operationOf } from "./routing/operation-match.ts";
import type { PathTable } from "./routing/path-table.ts";
import { collectPaths, findErrorRendering, rejectUnrouted } from "./routing/rejection.ts";
import { endRequestSpan } from "./request-span.ts";
import { StreamLimit } from "./stream-limit.ts";
import { loggedPathOf, mountOperations, pathOf } from "./routes.ts";

export interface ServerOptions {
  readonly kernel: Kernel;
  /** A worker serves only its probes. */
  readonly probesOnly?: boolean;
  /** The folder of the built console. Without it, only the API is served. */
  readonly consoleFolder?: string | undefined;
  /** The event loop delay above which load is shed. Tests share the loop with the server. */
  readonly loopDelayMaxMs?: number;
  /** The time within which a client must receive a sent frame of an event stream. Tests use a shorter one. */
  readonly frameTakenWithinMs?: number;
}

const HEADER_BYTES_MAX = 32 * 1024;
/** Long enough for a large file on a slow line. The headers have a separate timeout. */
const REQUEST_TIMEOUT_MS = 600_000;

/**
 * The path of a request target. A request to a proxy has a full address, which every server must accept (RFC
 * 9112, 3.2.2). Its host takes precedence over the header.
 */
function toOriginForm(request: IncomingMessage): string {
  const { url = "/" } = request;
  const [, host, path = ""] = /^https?:\/\/([^/?#@]+)([^#]*)$/i.exec(url) ?? [];
  if (host === undefined) return url;
  request.headers.host = host;
  return path.startsWith("/") ? path : `/${path}`;
}

const REQUEST_OPTIONS = {
  routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
  requestTimeout: REQUEST_TIMEOUT_MS,
  forceCloseConnections: "idle",
  // LoadShedder returns a 503 problem document instead.
  return503OnClosing: false,
} as const;

/** Builds the HTTP server with all operations and pages. */
export async function buildServer({
  kernel,
  probesOnly = false,
  consoleFolder,
  loopDelayMaxMs,
  frameTakenWithinMs,
}: ServerOptions): Promise<FastifyInstance> {
  const { settings, log } = kernel;
  const hosts = await HostRewriter.open(kernel);
  const app = Fastify({
    rewriteUrl: (request) => hosts.rewrite(request, toOriginForm(request)),
    loggerInstance: withoutChildLoggers(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestIdOf(request.headers["x-request-id"]),
    trustProxy: settings.trustProxy.length > 0 ? [...settings.trustProxy] : false,
    http: { maxHeaderSize: HEADER_BYTES_MAX, ...SERVER_OPTIONS },
    ...REQUEST_OPTIONS,
    clientErrorHandler: rejectUnreadable,
    // No hook has run for these errors.
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request as FastifyRequest, reply as FastifyReply);
      sendFailure(error, request as FastifyRequest, reply as FastifyReply);
    },
  });
  const loadShedder = new LoadShedder(kernel, loopDelayMaxMs);
  const metrics = new Metrics(kernel);
  const connections = new Connections(app.server);
  metrics.watchConnections(() => connections.count());
  kernel.telemetry?.exportMetrics(() => metrics.read());
  app.addHook("preClose", async () => connections.closeSilent());
  const paths = collectPaths(app);
  const sendFailure = createFailureSender(paths);
  app.removeAllContentTypeParsers();
  addParser(app, JSON_MEDIA_TYPE, (bytes, { routeOptions }) => {
    const isLarge = (routeOptions.bodyLimit ?? 0) > BODY_BYTES_MAX;
    return isLarge ? parseLargeBody(bytes) : parseBody(bytes);
  });
  addParser(app, FORM_MEDIA_TYPE, parseForm);
  addHooks(app, kernel);
  app.setErrorHandler(sendFailure);
  app.setNotFoundHandler((request, reply) => sendFailure(new Failure(NotFound), request, reply));
  app.addHook("onClose", async () => [loadShedder.close(), hosts.close()]);
  sampleLoad(app, kernel, { loadShedder, connections });
  mountProbes(app, kernel, metrics);
  if (!probesOnly) {
    const operations = kernel.domains.flatMap((domain) => domain.operations);
    addTextParsers(app, operations);
    mountOperations(app, {
      platform: kernel,
      operations,
      paths,
      authenticate: (token) => kernel.authenticator.authenticate(token),
      streamLimit: new StreamLimit({ takenWithinMs: frameTakenWithinMs }),
      credentialWatch: new CredentialWatch(
        (token) => kernel.authenticator.resolve(token),
        (error) => log.error({ err: error }, "credentials of open requests can't be checked"),
      ),
      loadShedder,
    });
    mountReference(app, kernel);
  }
  const basePath = new URL(publicUrl(kernel)).pathname.replace(/\/$/, "");
  if (consoleFolder !== undefined) new ConsoleFiles(consoleFolder, basePath).mount(app);
  rejectUnrouted(app, paths);
  await app.ready();
  return app;
}

interface LoadSources {
  readonly loadShedder: LoadShedder;
  readonly connections: Connections;
}

function sampleLoad(
  app: FastifyInstance,
  kernel: Kernel,
  { loadShedder, connections }: LoadSources,
): void {
  const sampler = kernel.monitor.startSampling({
    takeLoopDelayMs: () => loadShedder.takeLoopDelayMs(),
    databaseWaiting: () => kernel.db.waiting,
    connections: () => connections.count().open,
  });
  app.addHook("onClose", async () => sampler.stop());
}

function addTextParsers(app: FastifyInstance, operations: readonly Operation[]): void {
  const texts = operations.flatMap(({ acceptsText }) => acceptsText?.mediaType ?? []);
  for (const type of new Set(texts)) addParser(app, type, parseText);
}

/** Adds the hooks of every request: before admission, before the response, and after it. */
function addHooks(app: FastifyInstance, kernel: Kernel): void {
  const crossOrigin = new CrossOriginPolicy(kernel);
  // With callbacks, because promises in every hook of every request are expensive.
  app.addHook("onRequest", (request, reply, done) => {
    setCommonHeaders(request, reply);
    if (request.headers.origin === undefined) return done();
    void crossOrigin.apply(request, reply, done);
  });
  const compressor = new ResponseCompressor();
  app.addHook("onSend", (request, reply, payload, done) => {
    // An open connection would delay the shutdown.
    if (kernel.leaving) reply.header("connection", "close");
    compressor.compress(request, reply, payload, done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    // Reads the rest of a rejected body. Otherwise the end of the connection would not be detected and would
    // delay the shutdown until the timeout. Node does the same for bodies that were not started.
    if (!request.raw.complete) request.raw.resume();
    const operation = operationOf(request);
    kernel.monitor.requests.observe(
      operation?.id ?? "other",
      reply.statusCode,
      reply.elapsedTime / 1000,
    );
    logResponse(kernel.log, operation, request, reply);
    endRequestSpan(request, reply);
    done();
  });
}

/** Child loggers per request cost more than the log lines, which contain the request id. */
function withoutChildLoggers(log: Logger): FastifyBaseLogger {
  const same = Object.create(log) as FastifyBaseLogger;
  return Object.assign(same, { child: () => same });
}

function addParser(
  app: FastifyInstance,
  type: string,
  parse: (bytes: Buffer, request: FastifyRequest) => unknown,
): void {
  app.addContentTypeParser(type, { parseAs: "buffer" }, (request, body, done) => {
    try {
      const parsed = parse(body as Buffer, request);
      if (!(parsed instanceof Promise)) return done(null, parsed);
      void passOn(parsed, done);
    } catch (error) {
      done(error as Error);
    }
  });
}

type ParserDone = (error: Error | null, body?: unknown) => void;

async function passOn(parsed: Promise<unknown>, done: ParserDone): Promise<void> {
  let body: unknown;
  try {
    body = await parsed;
  } catch (error) {
    return done(error as Error);
  }
  done(null, body);
}

const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "no-referrer"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["cache-control", "no-store"],
];

/** Sets the headers of every response. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  for (const [name, value] of SECURITY_HEADERS) reply.header(name, value);
  reply.header("x-request-id", request.id);
}

/** Logs changes and failures as info, successful reads as debug. */
function logResponse(
  log: Logger,
  operation: Operation | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const quiet = reply.statusCode < 400 && (operation?.kind ?? "query") === "query";
  const level = quiet ? "debug" : "info";
  if (!log.isLevelEnabled(level)) return;
  log[level](
    {
      requestId: request.id,
      method: request.method,
      path: loggedPathOf(request),
      operation: operation?.id,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 10) / 10,
      actor: request.caller?.actor.id,
    },
    "request",
  );
}

/** Sends failures in the operation's format, or as a page for browsers. */
function createFailureSender(paths: PathTable) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // A client that disconnects during a body is not a server error.
    const isDisconnected = request.raw.destroyed && !request.raw.complete;
    const known = isDisconnected ? new Failure(MalformedRequest) : toRequestFailure(error, request);
    // An intended failure, such as load shedding, is not a server error.
    if (!(error instanceof Failure) && (known.type === Internal || known.type === Unavailable)) {
      const path = loggedPathOf(request);
      request.log.error({ requestId: request.id, err: error, path }, "request failed");
    }
    const errorRendering = findErrorRendering(request, paths);
    const at = { instance: pathOf(request), requestId: request.id };
    const { status, headers, body } = renderFailure({ errorRendering }, known, at);
    return reply.code(status).headers(headers).send(body);
  };
}

const FRAMEWORK_FAILURES: Readonly<Record<string, FailureType>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: TooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: WrongMediaType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: MalformedRequest,
  FST_ERR_BAD_URL: NotFound,
  FST_ERR_NOT_FOUND: NotFound,
  FST_ERR_MAX_PARAM_LENGTH: NotFound,
  ERR_HTTP_REQUEST_TIMEOUT: RequestTimeout,
};

const ZLIB_ERROR = /^Z_/;

function toRequestFailure(error: unknown, { routeOptions }: FastifyRequest): Failure {
  if (error instanceof Failure) return error;
  const code = sqlStateOf(error) ?? "";
  const type = FRAMEWORK_FAILURES[code];
  if (type === TooLarge) {
    const detail = `The request body is larger than the limit of ${routeOptions.bodyLimit} bytes for this path.`;
    return new Failure(TooLarge, { detail });
  }
  if (type) return new Failure(type);
  if (ZLIB_ERROR.test(code)) {
    return new Failure(MalformedRequest, { detail: "The body is not valid gzip." });
  }
  return toFailure(error);
}

const PARSER_FAILURES: Readonly<Record<string, FailureType>> = {
  HPE_HEADER_OVERFLOW: HeadersTooLarge,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: TooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: RequestTimeout,
};

/** A socket with its current response. Node's types omit it. */
interface RespondingSocket {
  readonly _httpMessage?: ServerResponse | null;
}

/** Rejects bytes that are not HTTP, for which no request object exists. */
function rejectUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  // The previous request on this connection has a pending response, which must not be lost or mixed with this
  // one.
  const pending = (socket as RespondingSocket)._httpMessage;
  if (pending?.req.complete) {
    pending.once("close", () => rejectUnreadable(error, socket));
    return;
  }
  const type = PARSER_FAILURES[error.code ?? ""] ?? MalformedRequest;
  const at = { instance: "", requestId: requestIdOf(undefined) };
  const { status, body } = toProblem(new Failure(type), at);
  socket.end(
    `HTTP/1.1 ${status} ${type.code}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
