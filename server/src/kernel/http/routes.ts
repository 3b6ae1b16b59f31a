import { Readable } from "node:stream";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
  RouteOptions,
} from "fastify";
import type { Caller, RawRequest } from "../access/caller.ts";
import type { Platform, Method, Operation, Route } from "../contract.ts";
import { Failure, MethodNotAllowed, WrongMediaType } from "../operation/failure.ts";
import { assertSoundTexts, FORM_MEDIA_TYPE, JSON_MEDIA_TYPE } from "./request-body.ts";
import type { InvocationResult, RawInput } from "../operation/invocation.ts";
import { authorise, perform } from "../operation/perform.ts";
import { type Authenticate, resolveCaller } from "./authenticate.ts";
import type { LoadShedder } from "./load-shedding.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

export interface MountOptions {
  readonly platform: Platform;
  readonly operations: readonly Operation[];
  readonly authenticate: Authenticate;
  readonly pressure: LoadShedder;
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const BODY_BYTES_MAX = 1024 * 1024;

/** Turns each declaration into its routes. */
export function mountOperations(app: FastifyInstance, options: MountOptions): void {
  app.decorateRequest("caller", null);
  const methodsOf = new Map<string, Set<string>>();
  for (const op of options.operations) {
    for (const route of [op.route, ...(op.aliases ?? [])]) {
      const { method, url } = parseRoute(route);
      methodsOf.set(url, (methodsOf.get(url) ?? new Set()).add(method));
      const declared: RouteOptions = {
        method,
        url,
        bodyLimit: op.bodyBytesMax ?? BODY_BYTES_MAX,
        config: { operation: op },
        onRequest: (request, reply) => admit(op, request, reply, options),
        // A GET has no body to look at.
        ...(method !== "GET" && {
          preValidation: async (request: FastifyRequest) => assertMediaType(op, request),
        }),
        handler: (request, reply) => serve(op, request, reply, options.platform),
      };
      if (op.readsRequest) routeBytes(app, declared);
      else app.route(declared);
    }
  }
  for (const [url, methods] of methodsOf) refuseOtherMethods(app, url, methods);
}

/** A route in a scope of its own, where the one parser there is leaves every body as it is. */
function routeBytes(app: FastifyInstance, route: RouteOptions): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) =>
      done(null, bytes),
    );
    scope.route(route);
  });
}

/** A path outside the API that can only be read. */
export function mountHtmlPage(
  app: FastifyInstance,
  url: string,
  handler: RouteHandlerMethod,
): void {
  app.get(url, handler);
  refuseOtherMethods(app, url, new Set(["GET"]));
}

export function parseRoute(route: Route): { method: Method; url: string } {
  const [method, path] = route.split(" ") as [Method, string];
  return { method, url: path.replaceAll(/\{(\w+)\}/g, ":$1") };
}

/** Before the body is read: load, credential, workspace, permission. */
async function admit(
  op: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, pressure, platform }: MountOptions,
): Promise<void> {
  pressure.assertCapacity();
  request.caller = await resolveCaller(op, request, reply, { authenticate, services: platform });
  authorise(op, request.caller);
}

/** The parsers are the server's; whether a form or a text will do is the operation's affair. */
function assertMediaType(op: Operation, request: FastifyRequest): void {
  const { headers, body } = request;
  if (body === undefined || op.readsRequest) return;
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
  platform: Platform,
): Promise<FastifyReply> {
  const { caller, headers } = request;
  if (!caller) throw new Error("A request reached its handler without having been admitted.");
  assertSoundTexts(request.params as object, ":");
  assertSoundTexts(request.query as object, "?");
  const outcome = await perform(platform, op, {
    caller: op.longRunning || op.readsRequest ? more(op, caller, request, reply) : caller,
    input: inputOf(op, request),
    instance: pathOf(request),
    idempotencyKey: single(headers["idempotency-key"]),
    ifMatch: headers["if-match"],
  });
  return answer(request, reply, outcome);
}

/** The caller, with what only a few operations want to know. */
function more(op: Operation, caller: Caller, request: FastifyRequest, reply: FastifyReply): Caller {
  return {
    ...caller,
    ...(op.longRunning && waitingOf(request, reply)),
    ...(op.readsRequest && { request: rawOf(request) }),
  };
}

function inputOf(op: Operation, { params, query, body }: FastifyRequest): RawInput {
  if (!op.readsRequest) {
    return { params, query: op.query || hasKeys(query) ? query : undefined, body };
  }
  // Of a query that is the sender's own, only what the operation knows is ours to check.
  const known = Object.keys(op.query?.properties ?? {});
  const ours = Object.entries(query as object).filter(([name]) => known.includes(name));
  return { params, query: op.query && Object.fromEntries(ours), body: undefined };
}

function rawOf({ headers, query, body }: FastifyRequest): RawRequest {
  const named = Object.entries(headers).map(([name, value]) => [name, single(value) ?? ""]);
  return {
    bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    mediaType: mediaTypeOf(headers),
    headers: Object.fromEntries(named) as Record<string, string>,
    query: { ...(query as object) },
  };
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: InvocationResult,
): FastifyReply {
  const { etag } = outcome.headers;
  if (etag !== undefined && request.method === "GET" && request.headers["if-none-match"] === etag) {
    return reply.code(304).header("etag", etag).send();
  }
  reply.code(outcome.status);
  if (outcome.body !== undefined && outcome.headers["content-type"] === undefined) {
    reply.type("application/json; charset=utf-8");
  }
  reply.headers(outcome.headers);
  return reply.send(outcome.stream ? Readable.from(outcome.stream, STREAM) : outcome.body);
}

/** One piece at a time: more is only made when the client has taken what there is. */
const STREAM = { objectMode: false, highWaterMark: 1 };

/** What only those operations need to know that keep their clients waiting. */
function waitingOf(
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Pick<Caller, "disconnected" | "lastEventId"> {
  const gone = new AbortController();
  const { socket } = reply.raw;
  // Who waits and closes its side has left, most likely: only the next write would tell for sure.
  const onEnd = (): void => gone.abort();
  socket?.once("end", onEnd);
  reply.raw.once("close", () => {
    socket?.off("end", onEnd);
    if (!reply.raw.writableFinished) gone.abort();
  });
  const lastEventId = single(headers["last-event-id"]);
  return { disconnected: gone.signal, ...(lastEventId !== undefined && { lastEventId }) };
}

/** The path without its query, which may carry what should not be repeated. */
export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf("?");
  return end === -1 ? request.url : request.url.slice(0, end);
}

/** The path for the log. One that strangers call holds the only secret that they have. */
export function loggedPathOf(request: FastifyRequest): string {
  const { url, config } = request.routeOptions;
  const isSecret = config.operation?.readsRequest || url?.includes(":token");
  return isSecret ? (url ?? "") : pathOf(request);
}

function refuseOtherMethods(app: FastifyInstance, url: string, methods: Set<string>): void {
  const allowed = new Set(methods);
  if (allowed.has("GET")) allowed.add("HEAD");
  const allow = [...allowed].toSorted().join(", ");
  const others = [...METHODS, "OPTIONS"].filter((method) => !methods.has(method));
  app.route({
    method: others,
    url,
    // Before the body, which nobody will read.
    onRequest: async (request, reply) => {
      if (request.method === "OPTIONS") return reply.code(204).header("allow", allow).send();
      throw new Failure(MethodNotAllowed, {
        detail: `This path answers ${allow}.`,
        headers: { allow },
      });
    },
    handler: async () => undefined,
  });
}

function hasKeys(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(",") : header;
}
