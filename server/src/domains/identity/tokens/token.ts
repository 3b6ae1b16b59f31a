import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import Type, { type Static } from "typebox";
import { EVERY_ROLE, type Permission, permission } from "#kernel/access/permission.ts";
import { event } from "#kernel/log/event.ts";
import { Failure, failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { type Cidr, includesCidr, parseCidr } from "#kernel/outbound/ssrf-guard.ts";
import { id, line, nullable, Time } from "#kernel/schema/schema.ts";

export const TOKEN_PREFIX = "mr_";
const RANDOM_BYTES = 30;
const CHECKSUM_CHARACTERS = 7;

export const Scopes = Type.Array(line(100), { minItems: 1, maxItems: 500, uniqueItems: true });
export const ExpiresIn = nullable(
  Type.String({ pattern: "^[1-9][0-9]{0,4}d$", description: "`<n>d`, or null for unlimited" }),
);
export const IpAllowlist = Type.Array(line(50), {
  minItems: 1,
  maxItems: 100,
  description: "IPv4 and IPv6 ranges in CIDR notation",
});

const tokenFields = {
  id: id("tok"),
  name: line(100),
  scopes: Scopes,
  ipAllowlist: nullable(IpAllowlist),
  expiresAt: nullable(Time),
  createdAt: Time,
};
export const ApiToken = Type.Object(
  { ...tokenFields, lastUsedAt: nullable(Time) },
  { title: "ApiToken" },
);
export type ApiToken = Static<typeof ApiToken> & { readonly revision: number };

/** Without `lastUsedAt`: using a token emits no event. */
const TokenEventData = Type.Object(tokenFields);

/** With its secret value, returned once. */
export const NewApiToken = Type.Object(
  { ...tokenFields, token: Type.String({ description: "Shown only in this response" }) },
  { title: "NewApiToken" },
);

export const NoSuchToken = failure(
  "token_required",
  422,
  "Select the token to rotate, or call this with the token itself.",
);

/** `mr_`, 240 random bits, and a checksum: a mistyped token is rejected without a lookup. */
export function newToken(): string {
  const body = randomBytes(RANDOM_BYTES).toString("base64url");
  return `${TOKEN_PREFIX}${body}${checksum(body)}`;
}

export function hasValidChecksum(token: string): boolean {
  const body = token.slice(TOKEN_PREFIX.length, -CHECKSUM_CHARACTERS);
  return token.endsWith(checksum(body));
}

function checksum(body: string): string {
  return crc32(body).toString(36).padStart(CHECKSUM_CHARACTERS, "0");
}

/** Throws unless every scope is in the catalog and held by the caller. */
export function assertScopes(
  scopes: readonly string[],
  held: ReadonlySet<string>,
  catalog: readonly Permission[],
): void {
  const known = new Set(catalog.map(({ name }) => name));
  for (const [index, scope] of scopes.entries()) {
    if (!known.has(scope)) throw invalidField(`/scopes/${index}`, "is not a permission");
  }
  const beyond = scopes.filter((scope) => !held.has(scope));
  if (beyond.length > 0) {
    throw new Failure(Forbidden, {
      detail: `You lack what the token would have: ${beyond.join(", ")}.`,
    });
  }
}

/** The allowed addresses and the expiry of a token; null means no limit. */
export interface TokenBounds {
  readonly ipAllowlist: readonly string[] | null;
  readonly expiresAt: string | null;
}

/** Throws unless the limits of a token are within those of another, so that a new token cannot exceed them. */
export function assertWithinBounds(inner: TokenBounds, outer: TokenBounds): void {
  if (outer.ipAllowlist !== null) {
    const ranges = outer.ipAllowlist.map(parseStoredRange);
    const within = inner.ipAllowlist?.every((text) =>
      ranges.some((range) => includesCidr(range, parseStoredRange(text))),
    );
    if (!within) {
      throw new Failure(Forbidden, {
        detail: `The token would allow more IP addresses than your token: ${outer.ipAllowlist.join(", ")}.`,
      });
    }
  }
  const { expiresAt } = outer;
  if (expiresAt !== null && !(Date.parse(inner.expiresAt ?? "") <= Date.parse(expiresAt))) {
    throw new Failure(Forbidden, {
      detail: `The token would be valid longer than your token, which expires at ${expiresAt}.`,
    });
  }
}

/** Parses a range that was validated when it was stored. */
export function parseStoredRange(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error("A stored range can't be read.");
  return cidr;
}

export function assertRanges(ranges: readonly string[]): void {
  for (const [index, range] of ranges.entries()) {
    if (!parseCidr(range)) throw invalidField(`/ipAllowlist/${index}`, "is not a CIDR range");
  }
}

export const TokenCreated = event("audit.token.created", {
  resource: "api_token",
  summary: "An API token was created.",
  data: TokenEventData,
});
export const TokenRotated = event("audit.token.rotated", {
  resource: "api_token",
  summary: "An API token was rotated.",
  data: Type.Object({ ...TokenEventData.properties, replaced: id("tok") }),
});
export const TokenRevoked = event("audit.token.revoked", {
  resource: "api_token",
  summary: "An API token was revoked.",
  data: TokenEventData,
});

export const TokensRead = permission("tokens:read", "View own API tokens", EVERY_ROLE);
export const TokensWrite = permission(
  "tokens:write",
  "Create and revoke own API tokens",
  EVERY_ROLE,
);
