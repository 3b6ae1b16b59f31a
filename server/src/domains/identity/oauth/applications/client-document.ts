/**
 * Client ID metadata documents: the id of a client is a URL, and the document there contains its name and redirect
 * URIs. Unauthenticated callers name the URL, so it is fetched with the guarded HTTP client and strict limits.
 * Nothing is stored before a person consents.
 */
import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { OutboundFailed, OutboundRefused } from "#kernel/outbound/outbound.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { BoundedCache } from "#kernel/work/bounded-cache.ts";
import { AGENT_SCOPE, agentScopes, keepAgentScope, parseScopes } from "../scope.ts";
import { redirectUriError } from "./application.ts";
import { toClientName } from "./registration.ts";
import { type Client, findClient } from "./store.ts";

const URL_CHARACTERS_MAX = 500;
const DOCUMENT_BYTES_MAX = 10 * 1_024;
const TIMEOUT_MS = 5_000;
/** Per minute, for one calling address and for all together. */
const FETCHES_OF_ADDRESS = 10;
const FETCHES_OF_ALL = 120;
const CACHED_MAX = 1_000;
const FRESH_MIN_MS = 60_000;
const FRESH_MAX_MS = 24 * 3_600_000;
const FRESH_DEFAULT_MS = 600_000;

export const BadClientDocument = failure(
  "oauth_bad_client_document",
  400,
  "The document at the client id can't be used.",
);

/** Further members are ignored. */
const ClientDocument = Type.Object({
  client_id: Type.String({ maxLength: URL_CHARACTERS_MAX }),
  client_name: Type.Optional(Type.String({ maxLength: 1_000 })),
  redirect_uris: Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
    minItems: 1,
    maxItems: 20,
  }),
  scope: Type.Optional(Type.String({ maxLength: 10_000 })),
  grant_types: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 20 })),
  token_endpoint_auth_method: Type.Optional(Type.String({ maxLength: 100 })),
});
type ClientDocument = Static<typeof ClientDocument>;
const documents = new Validator(ClientDocument, "body");

/** True for an id that is an address. */
export function isDocumentUrl(clientId: string): boolean {
  return clientId.startsWith("https://");
}

interface CachedClient {
  readonly client: Client;
  readonly untilMs: number;
}
const caches = new WeakMap<Platform["db"], BoundedCache<CachedClient>>();

/** The client of a URL: as its document describes it, with the row that a consent created. */
export async function resolveDocumentClient(
  platform: Platform,
  url: string,
  caller: Pick<Caller, "address">,
): Promise<Client> {
  const problem = documentUrlError(url);
  if (problem !== undefined)
    throw new Failure(BadClientDocument, { detail: `The client id ${problem}.` });
  const { db, clock } = platform;
  const cache = caches.get(db) ?? new BoundedCache<CachedClient>(CACHED_MAX);
  caches.set(db, cache);
  const cached = cache.get(url);
  const fresh =
    cached && cached.untilMs > clock.nowMs() ? cached : await fetchClient(platform, url, caller);
  cache.set(url, fresh, 1);
  const known = await findClient(db, url);
  return known ? { ...fresh.client, clientId: known.clientId } : fresh.client;
}

/** Requires the form of the specification, which is unambiguous. */
function documentUrlError(url: string): string | undefined {
  if (url.length > URL_CHARACTERS_MAX) return `has more than ${URL_CHARACTERS_MAX} characters`;
  if (!/^[\x21-\x7e]+$/.test(url) || !URL.canParse(url)) return "is not a URL";
  const { protocol, username, password, pathname, href } = new URL(url);
  if (protocol !== "https:") return "must begin with https:";
  if (username !== "" || password !== "") return "must not contain a user name or password";
  if (/[?#]/.test(url)) return "must not have a query or a fragment";
  if (pathname === "/") return "must have a path";
  // Dot segments, upper-case hosts and similar spellings would be different ids.
  return href === url ? undefined : "must be in the normalised form of browsers";
}

async function fetchClient(
  platform: Platform,
  url: string,
  { address }: Pick<Caller, "address">,
): Promise<CachedClient> {
  const { rateLimit, outbound, clock, permissions } = platform;
  rateLimit.assert(`client documents of ${classifyAddress(address)}`, FETCHES_OF_ADDRESS);
  rateLimit.assert("client documents", FETCHES_OF_ALL);
  const response = await outbound
    .request({
      method: "GET",
      url,
      headers: { accept: "application/json" },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: DOCUMENT_BYTES_MAX,
    })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundFailed) && !(error instanceof OutboundRefused)) throw error;
      // The reason is omitted, so that callers cannot probe addresses.
      throw new Failure(BadClientDocument, { detail: "The document can't be loaded." });
    });
  const { status, headers, body, truncated } = response;
  if (
    status !== 200 ||
    truncated ||
    !/^application\/(?:[\w.+-]+\+)?json\b/.test(headers["content-type"] ?? "")
  )
    throw new Failure(BadClientDocument, { detail: "The document can't be loaded." });
  const document = parseDocument(body, url);
  const scopes = parseScopes(document.scope ?? "").filter((scope) =>
    permissions.some(({ name }) => name === scope),
  );
  const client: Client = {
    clientId: url,
    name: toClientName(document.client_name),
    redirectUris: [...new Set(document.redirect_uris)],
    allowedScopes:
      scopes.length > 0 ? keepAgentScope(scopes, [AGENT_SCOPE]) : agentScopes(permissions),
    secretHash: null,
    workspace: null,
    documentUrl: url,
  };
  return { client, untilMs: clock.nowMs() + freshMsOf(headers["cache-control"]) };
}

function parseDocument(body: Uint8Array, url: string): ClientDocument {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString());
  } catch {
    throw new Failure(BadClientDocument, { detail: "The document is not JSON." });
  }
  const result = documents.check(value);
  if ("errors" in result) {
    const [error] = result.errors;
    throw new Failure(BadClientDocument, {
      detail: `${error?.path ?? ""} ${error?.message ?? ""}`,
    });
  }
  const document = result.value as ClientDocument;
  const refuse = (detail: string) => new Failure(BadClientDocument, { detail });
  if (document.client_id !== url) throw refuse("client_id is not the URL of the document.");
  if (Object.hasOwn(value as object, "client_secret"))
    throw refuse("A public document must not contain a secret.");
  if ((document.token_endpoint_auth_method ?? "none") !== "none")
    throw refuse("token_endpoint_auth_method must be none.");
  if (document.grant_types?.includes("authorization_code") === false)
    throw refuse("grant_types lacks authorization_code.");
  for (const [index, uri] of document.redirect_uris.entries()) {
    const error = redirectUriError(uri);
    if (error) throw refuse(`redirect_uris/${index} ${error}.`);
  }
  return document;
}

/** The cache time from the response, within limits. */
function freshMsOf(cacheControl = ""): number {
  if (/no-store|no-cache/.test(cacheControl)) return FRESH_MIN_MS;
  const seconds = /max-age=(\d{1,9})/.exec(cacheControl)?.[1];
  const freshMs = seconds === undefined ? FRESH_DEFAULT_MS : Number(seconds) * 1_000;
  return Math.min(FRESH_MAX_MS, Math.max(FRESH_MIN_MS, freshMs));
}
