import type { PlatformServices } from "#kernel/contract.ts";
import { sha256 } from "#kernel/access/crypto.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import type { ClientCredentials } from "../auth.ts";
import { readResponse, upstreamRefusal } from "./response.ts";
import { withDeadline } from "./deadline.ts";
import { UpstreamError, upstreamErrorOf } from "./upstream-error.ts";
import type { UpstreamConnection } from "./connection.ts";

const TOKENS_MAX = 2_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** Where the answer does not say how long it is good for. */
const LIFETIME_MS = 300_000;
/** It must still be good when it arrives. */
const MARGIN_MS = 30_000;

interface Token {
  readonly value: string;
  readonly goodUntilMs: number;
}

/** Tokens of this process by connector and credentials; under way or there. */
const caches = new WeakMap<PlatformServices, BoundedCache<Promise<Token>>>();

/**
 * An access token for a connector. One that is good is used again, and while one is on its way
 * everybody waits for that. A connector that was changed, or a secret that was rotated, gets another.
 */
export async function accessToken(
  use: UpstreamConnection,
  auth: ClientCredentials,
): Promise<string> {
  const { platform, discretion } = use;
  const cache = cacheOf(platform);
  const key = keyOf(use, auth);
  let token = cache.get(key);
  if (token === undefined || (await expired(token, platform.clock.nowMs()))) {
    // Whoever came first has replaced it while this one looked.
    const current = cache.get(key);
    if (current !== undefined && current !== token) token = current;
    else {
      token = request(use, auth);
      cache.set(key, token, 1);
    }
  }
  const { value } = await withDeadline(use.deadline, token);
  discretion.keep("token", value);
  return value;
}

/** Lets go of a token that was refused. */
export async function dropToken(
  use: UpstreamConnection,
  auth: ClientCredentials,
  refused: string,
): Promise<void> {
  const cache = cacheOf(use.platform);
  const key = keyOf(use, auth);
  const token = cache.get(key);
  const value = await token?.then(
    (known) => known.value,
    () => undefined,
  );
  if (value === refused && cache.get(key) === token) cache.set(key, GONE, 1);
}

/** A token that nobody has. */
const GONE = Promise.resolve<Token>({ value: "", goodUntilMs: 0 });

function cacheOf(services: PlatformServices): BoundedCache<Promise<Token>> {
  let cache = caches.get(services);
  if (!cache) caches.set(services, (cache = new BoundedCache(TOKENS_MAX)));
  return cache;
}

function keyOf({ connector }: UpstreamConnection, auth: ClientCredentials): string {
  const credentials = sha256(JSON.stringify(auth)).toString("base64url");
  return `${connector.id} ${connector.revision} ${credentials}`;
}

/** A request that failed is as good as none. */
async function expired(token: Promise<Token>, nowMs: number): Promise<boolean> {
  return token.then(
    ({ goodUntilMs }) => goodUntilMs <= nowMs,
    () => true,
  );
}

async function request(use: UpstreamConnection, auth: ClientCredentials): Promise<Token> {
  const { platform, deadline, discretion } = use;
  try {
    const response = await platform.outbound.request({
      method: "POST",
      url: auth.tokenUrl,
      ...formOf(auth),
      timeoutMs: deadline.remainingMs(),
      maxResponseBytes: ANSWER_BYTES_MAX,
      allowHttp: true,
    });
    const answer = readResponse(response);
    const nowMs = platform.clock.nowMs();
    if (answer.status >= 300) throw upstreamRefusal(answer, discretion, nowMs);
    return tokenOf(answer.body, nowMs);
  } catch (error) {
    const known = upstreamErrorOf(error);
    if (!(known instanceof UpstreamError)) throw known;
    const { isDown = false } = known.particulars;
    // To ask for a token twice does nothing twice, and what it was for has not been sent.
    const particulars = { ...known.particulars, unsent: isDown };
    throw new UpstreamError(`No access token: ${known.message}`, particulars);
  }
}

function formOf(auth: ClientCredentials) {
  const { clientId, clientSecret, clientAuth = "basic", scope, audience } = auth;
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
    ...(clientAuth === "body" && { client_id: clientId, client_secret: clientSecret }),
  });
  const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
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

/** As RFC 6749 wants the two halves of the pair. */
function formEncoded(value: string): string {
  return new URLSearchParams([["", value]]).toString().slice(1);
}

function tokenOf(body: unknown, nowMs: number): Token {
  const { access_token: value, expires_in: seconds } = Object(body) as Record<string, unknown>;
  if (typeof value !== "string" || value === "") {
    throw new UpstreamError("the answer holds no access_token.");
  }
  const given = Number(seconds);
  const lifetimeMs = Number.isFinite(given) && given > 0 ? given * 1_000 : LIFETIME_MS;
  return { value, goodUntilMs: nowMs + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 10) };
}
