import type { FastifyReply, FastifyRequest } from "fastify";
import { newCorrelationId } from "../log/causal-chain.ts";
import { isAtForeignHost } from "./routing/host-rewriter.ts";
import type { Caller, Credential, Membership } from "../access/caller.ts";
import type { PlatformServices, Operation } from "../contract.ts";
import type { EnvironmentName } from "../db/database.ts";
import { ENVIRONMENT_NAMES } from "../db/partition.ts";
import { isInCidr } from "../outbound/ssrf-guard.ts";
import {
  AddressForbidden,
  CrossOrigin,
  Failure,
  NoSuchWorkspace,
  RateLimited,
  SessionConfined,
  Unauthenticated,
  UnknownEnvironment,
  WorkspaceRequired,
} from "../operation/failure.ts";
import { isEventStream } from "../operation/operation.ts";
import { newId } from "../schema/id.ts";
import { findCorrelationId } from "./request-span.ts";

/** The token and its source. Only our own pages send the cookie. */
export interface PresentedCredential {
  readonly token: string;
  readonly by: "header" | "cookie";
}

/** Resolves a token to its credential. Undefined if it is invalid or expired. */
export type Authenticate = (token: string) => Promise<Credential | undefined>;

export const SESSION_COOKIE = "millrace_session";

const ENVIRONMENTS: ReadonlySet<string> = new Set(ENVIRONMENT_NAMES);
const CLIENT_CHARACTERS_MAX = 300;
const NO_PERMISSIONS: ReadonlySet<string> = new Set();
const ANONYMOUS = { id: "anonymous", name: "Anonymous", type: "system" } as const;

/** Resolves the caller before the body is read: credential, rate limit, workspace and environment. */
export async function resolveCaller(
  op: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  gate: { readonly authenticate: Authenticate; readonly services: PlatformServices },
): Promise<Caller> {
  const credential = await resolveCredential(op, request, gate);
  if (credential) enforceRateLimit(gate.services, credential, reply);
  const environment = resolveEnvironment(op, request);
  const membership = credential && resolveMembership(op, request, credential);
  return {
    actor: credential?.actor ?? ANONYMOUS,
    credential,
    ...(credential && { idempotencyScope: credential.id }),
    workspace: membership?.workspace,
    environment,
    permissions: membership?.permissions ?? NO_PERMISSIONS,
    ...(credential &&
      membership && { principal: { id: credential.user.id, roles: membership.roles } }),
    requestId: request.id,
    address: request.ip,
    client: (request.headers["user-agent"] ?? "").slice(0, CLIENT_CHARACTERS_MAX),
    origin: resolveOrigin(request, gate.services),
    ...(isAtForeignHost(request.raw) && { isAtDomain: true as const }),
    ...(op.acceptsBasic && basicOf(request)),
    ...(op.readsAccept && { prefersHtml: /\btext\/html\b/.test(request.headers.accept ?? "") }),
    ...(op.readsCookies && { cookies: cookiesOf(request.headers.cookie) }),
    cause: {
      correlationId: findCorrelationId(request) ?? newCorrelationId(gate.services.clock),
      depth: 0,
    },
  };
}

async function resolveCredential(
  op: Operation,
  request: FastifyRequest,
  gate: { readonly authenticate: Authenticate; readonly services: PlatformServices },
): Promise<Credential | undefined> {
  if (op.access === "public") return undefined;
  const presented = readToken(request);
  const isVisitor = op.access === "visitor";
  const isForeign = isAtForeignHost(request.raw);
  const byToken = presented?.by === "header" && op.acceptsToken === true;
  const credential =
    presented && !isForeign && (!isVisitor || byToken || presented.by === "cookie")
      ? await gate.authenticate(presented.token)
      : undefined;
  // Forms must come from our own pages, whether or not the user has signed in.
  const own = isForeign ? undefined : gate.services.settings.baseUrl;
  if (isVisitor && !byToken) assertSameOrigin(request, own);
  if (!credential) {
    if (isVisitor) return undefined;
    throw new Failure(Unauthenticated, {
      detail: explainUnauthenticated(request, presented),
      headers: {
        "www-authenticate": buildChallenge(op, presented, request, gate.services),
      },
    });
  }
  if (presented?.by === "cookie") assertSameOrigin(request, gate.services.settings.baseUrl);
  if (credential.allowedFrom?.some((range) => isInCidr(request.ip, range)) === false) {
    throw new Failure(AddressForbidden);
  }
  return credential;
}

/** The address of this installation from the client's point of view. */
function resolveOrigin(request: FastifyRequest, { settings }: PlatformServices): string {
  const { protocol, host, raw } = request;
  const own = isAtForeignHost(raw) ? undefined : settings.baseUrl;
  return own ?? `${protocol}://${host}`;
}

/**
 * The WWW-Authenticate challenge: the required scheme, its metadata address (RFC 9728), and whether a sent
 * token is invalid (RFC 6750, 3.1), so that clients refresh it.
 */
function buildChallenge(
  op: Operation,
  presented: PresentedCredential | undefined,
  request: FastifyRequest,
  services: PlatformServices,
): string {
  const problem = presented?.by === "header" ? 'error="invalid_token", ' : "";
  const metadata = `${resolveOrigin(request, services)}/.well-known/oauth-protected-resource`;
  return `Bearer ${problem}resource_metadata="${metadata}${op.infersWorkspace ? describeResource(op, request) : ""}"`;
}

/** Returns the metadata address of the resource, with the workspace from the request. */
function describeResource({ route }: Operation, request: FastifyRequest): string {
  const { workspace } = request.query as { readonly workspace?: unknown };
  const query =
    typeof workspace === "string" ? `?${new URLSearchParams({ workspace }).toString()}` : "";
  return route.slice(route.indexOf("/")) + query;
}

/** Distinguishes a missing, a malformed and an invalid token. */
function explainUnauthenticated(
  { headers }: FastifyRequest,
  presented: PresentedCredential | undefined,
): string {
  if (presented) return "The token is invalid, expired or revoked.";
  return headers.authorization === undefined
    ? "Sign in, and send `Authorization: Bearer <token>`."
    : "The Authorization header must be `Bearer <token>`.";
}

/** The client's id for the request if it is safe to echo and log, otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[\x21-\x7e]{1,128}$/.test(header) ? header : newId("req");
}

/** Reads the token of a request from its header or cookie. */
export function readToken({ headers }: FastifyRequest): PresentedCredential | undefined {
  const { authorization, cookie } = headers;
  if (authorization !== undefined) {
    const token = /^Bearer +([\x21-\x7e]{1,4096})$/i.exec(authorization)?.[1];
    return token === undefined ? undefined : { token, by: "header" };
  }
  const token = cookiesOf(cookie).get(SESSION_COOKIE);
  return token === undefined ? undefined : { token, by: "cookie" };
}

/** The first of two cookies with the same name counts: browsers send the more specific one first. */
function cookiesOf(header = ""): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(";")) {
    const [name = "", ...value] = pair.trim().split("=");
    if (value.length > 0 && !cookies.has(name)) cookies.set(name, value.join("="));
  }
  return cookies;
}

/** A malformed header becomes an empty name, which never exists. */
function basicOf({ headers }: FastifyRequest): Pick<Caller, "basic"> {
  const { authorization } = headers;
  if (authorization === undefined || !/^basic /i.test(authorization)) return {};
  const text = Buffer.from(authorization.slice("basic ".length), "base64").toString();
  const colon = text.indexOf(":");
  if (colon === -1) return { basic: { name: "", password: "" } };
  return { basic: { name: text.slice(0, colon), password: text.slice(colon + 1) } };
}

function enforceRateLimit(
  { rateLimit, settings }: PlatformServices,
  { id }: Credential,
  reply: FastifyReply,
): void {
  const state = rateLimit.take(id, settings.rateLimit);
  if (!state) return;
  reply.header("ratelimit-limit", state.limit);
  reply.header("ratelimit-remaining", state.remaining);
  reply.header("ratelimit-reset", state.resetSeconds);
  if (!state.allowed) {
    throw new Failure(RateLimited, { headers: { "retry-after": String(state.resetSeconds) } });
  }
}

/** CSRF protection: browsers send cookies with cross-site requests, so the origin must be ours. */
function assertSameOrigin({ method, headers }: FastifyRequest, own: string | undefined): void {
  if (method === "GET" || method === "HEAD") return;
  const origin = headers.origin;
  const expected = own === undefined ? headers.host : new URL(own).host;
  if (origin === undefined || !URL.canParse(origin) || new URL(origin).host !== expected) {
    throw new Failure(CrossOrigin);
  }
}

function resolveEnvironment(op: Operation, request: FastifyRequest): EnvironmentName {
  const name =
    request.headers["x-environment"] ?? readStreamQuery(op, request).environment ?? "production";
  if (typeof name !== "string" || !ENVIRONMENTS.has(name)) throw new Failure(UnknownEnvironment);
  return name as EnvironmentName;
}

/** A browser's `EventSource` and some protocol clients can't send custom headers. */
function readStreamQuery(
  op: Operation,
  { query }: FastifyRequest,
): { readonly workspace?: unknown; readonly environment?: unknown } {
  return isEventStream(op) || op.infersWorkspace ? (query as object) : NO_QUERY;
}

const NO_QUERY = {};

/** An unknown slug and a workspace without membership fail with the same error. */
function resolveMembership(
  op: Operation,
  request: FastifyRequest,
  { memberships, confinedTo }: Credential,
): Membership | undefined {
  const slug =
    request.headers["x-workspace"] ??
    readStreamQuery(op, request).workspace ??
    inferWorkspace(op, memberships);
  if (op.access === "visitor") return undefined;
  if (op.access === "account" && confinedTo && !op.allowWorkspaceToken) {
    throw new Failure(SessionConfined);
  }
  if (slug === undefined || slug === "") {
    if (op.access !== "account") throw new Failure(WorkspaceRequired);
    assertNotAllBlocked(op, [...memberships.values()]);
    return undefined;
  }
  const membership = typeof slug === "string" ? memberships.get(slug) : undefined;
  if (!membership) throw new Failure(NoSuchWorkspace);
  assertNotBlocked(op, membership);
  return membership;
}

/** The only workspace of a credential, for operations that do not require its name. */
function inferWorkspace(op: Operation, memberships: Credential["memberships"]): string | undefined {
  const [first, ...others] = op.infersWorkspace ? memberships.keys() : [];
  return others.length === 0 ? first : undefined;
}

/** Throws if the member is currently blocked in the workspace. */
export function assertNotBlocked(op: Operation, membership: Membership): void {
  assertNotAllBlocked(op, [membership]);
}

/** Fails only if all memberships are blocked: one workspace must not block a user in the others. */
function assertNotAllBlocked(op: Operation, memberships: readonly Membership[]): void {
  const blockedBy = memberships[0]?.blockedBy;
  if (op.allowBeforeEnrolment || !blockedBy) return;
  if (memberships.every((membership) => membership.blockedBy)) throw new Failure(blockedBy);
}
