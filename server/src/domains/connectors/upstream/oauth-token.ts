import type { PlatformServices } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import type { ClientCredentials, ServiceAccount } from "../auth.ts";
import { buildAssertion } from "./jwt-assertion.ts";
import { readResponse, toUpstreamError } from "./response.ts";
import { withDeadline } from "./deadline.ts";
import { UpstreamError, upstreamErrorOf } from "./upstream-error.ts";
import type { UpstreamConnection } from "./connection.ts";

const TOKENS_MAX = 2_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** The lifetime of a token whose response contains none. */
const LIFETIME_MS = 300_000;
/** A token must still be valid when it arrives. */
const MARGIN_MS = 30_000;

/** Authentication that gets tokens without user interaction. */
export type TokenAuth = ClientCredentials | ServiceAccount;

interface Token {
  readonly value: string;
  readonly goodUntilMs: number;
}

/** Tokens of this process by connector and credentials: pending or received. */
const caches = new WeakMap<PlatformServices, BoundedCache<Promise<Token>>>();

/**
 * Returns an access token for a connector. Valid tokens are reused, and concurrent callers share one request. A
 * changed connector or a rotated secret gets a new token.
 */
export async function accessToken(
  connection: UpstreamConnection,
  auth: TokenAuth,
): Promise<string> {
  const { platform, scrubber } = connection;
  const cache = cacheOf(platform);
  const key = cacheKey(connection, auth);
  let token = cache.get(key);
  if (token === undefined || (await isExpired(token, platform.clock.nowMs()))) {
    // Another call may have replaced it in the meantime.
    const current = cache.get(key);
    if (current !== undefined && current !== token) token = current;
    else {
      token = requestToken(connection, auth);
      cache.set(key, token, 1);
    }
  }
  const { value } = await withDeadline(connection.deadline, token);
  scrubber.add("token", value);
  return value;
}

/** Drops a rejected token. */
export async function dropToken(
  connection: UpstreamConnection,
  auth: TokenAuth,
  refused: string,
): Promise<void> {
  const cache = cacheOf(connection.platform);
  const key = cacheKey(connection, auth);
  const token = cache.get(key);
  const value = await token?.then(
    (known) => known.value,
    () => undefined,
  );
  if (value === refused && cache.get(key) === token) cache.set(key, DROPPED, 1);
}

/** Replaces a rejected token. */
const DROPPED = Promise.resolve<Token>({ value: "", goodUntilMs: 0 });

function cacheOf(services: PlatformServices): BoundedCache<Promise<Token>> {
  let cache = caches.get(services);
  if (!cache) caches.set(services, (cache = new BoundedCache(TOKENS_MAX)));
  return cache;
}

function cacheKey({ connector }: UpstreamConnection, auth: TokenAuth): string {
  const credentials = sha256(JSON.stringify(auth)).toString("base64url");
  return `${connector.id} ${connector.revision} ${credentials}`;
}

/** A failed request counts as expired. */
async function isExpired(token: Promise<Token>, nowMs: number): Promise<boolean> {
  return token.then(
    ({ goodUntilMs }) => goodUntilMs <= nowMs,
    () => true,
  );
}

async function requestToken(connection: UpstreamConnection, auth: TokenAuth): Promise<Token> {
  const { platform, deadline, scrubber } = connection;
  try {
    const response = await platform.outbound.request({
      method: "POST",
      url: auth.tokenUrl,
      ...(auth.kind === "oauth2_jwt"
        ? toAssertionRequest(auth, platform.clock.nowMs())
        : tokenRequestOf(auth)),
      timeoutMs: deadline.remainingMs(),
      maxResponseBytes: ANSWER_BYTES_MAX,
      allowHttp: true,
    });
    const answer = readResponse(response);
    const nowMs = platform.clock.nowMs();
    if (answer.status >= 300) throw toUpstreamError(answer, scrubber, nowMs);
    return parseToken(answer.body, nowMs);
  } catch (error) {
    const known = upstreamErrorOf(error);
    if (!(known instanceof UpstreamError)) throw known;
    const { isDown = false } = known.particulars;
    // A token request may be repeated, and the actual call has not been sent.
    const particulars = { ...known.particulars, unsent: isDown };
    throw new UpstreamError(`Can't get an access token: ${known.message}`, particulars);
  }
}

function toAssertionRequest(auth: ServiceAccount, nowMs: number) {
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: buildAssertion(auth, nowMs),
  });
  return {
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: form.toString(),
  };
}

function tokenRequestOf(auth: ClientCredentials) {
  const { clientId, clientSecret, clientAuth = "basic", scope, audience } = auth;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
    ...(clientAuth === "body" && { client_id: clientId, client_secret: clientSecret }),
  });
  const pair = `${encodeFormValue(clientId)}:${encodeFormValue(clientSecret)}`;
  return {
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      ...(clientAuth === "basic" && {
        authorization: `Basic ${Buffer.from(pair).toString("base64")}`,
      }),
    },
    body: form.toString(),
  };
}

/** The encoding of client id and secret by RFC 6749. */
function encodeFormValue(value: string): string {
  return new URLSearchParams([["", value]]).toString().slice(1);
}

function parseToken(body: unknown, nowMs: number): Token {
  const { access_token: value, expires_in: seconds } = Object(body) as Record<string, unknown>;
  if (typeof value !== "string" || value === "") {
    throw new UpstreamError("the response does not contain an access_token.");
  }
  const lifetimeSeconds = Number(seconds);
  const lifetimeMs =
    Number.isFinite(lifetimeSeconds) && lifetimeSeconds > 0 ? lifetimeSeconds * 1_000 : LIFETIME_MS;
  return { value, goodUntilMs: nowMs + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 10) };
}
