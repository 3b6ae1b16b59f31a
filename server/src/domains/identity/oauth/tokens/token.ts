import { randomBytes } from "node:crypto";
import Type from "typebox";
import { equalBytes, sha256 } from "#kernel/access/crypto.ts";
import { newId } from "#kernel/schema/id.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { type GrantRow, insertTokens } from "../grant-store.ts";

export const ACCESS_PREFIX = "mro_";
const REFRESH_PREFIX = "mrr_";
const CODE_PREFIX = "mrc_";
const ACCESS_MS = 3_600_000;
const REFRESH_MS = 30 * 24 * 3_600_000;
export const CODE_MS = 60_000;

const VERIFIER = /^[\w.~-]{43,128}$/;
/** A SHA-256 hash in base64url. */
export const CHALLENGE = /^[\w-]{43}$/;

export const TokenResponse = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal("Bearer"),
    expires_in: Type.Integer({ description: "In seconds" }),
    refresh_token: Type.String(),
    scope: Type.String({ description: "The granted scopes, separated by spaces" }),
  },
  { title: "OAuthToken" },
);

export function newCode(): string {
  return newSecret(CODE_PREFIX);
}

/** Returns whether the challenge was computed from this verifier (PKCE, S256). */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  return (
    VERIFIER.test(verifier) && equalBytes(sha256(verifier), Buffer.from(challenge, "base64url"))
  );
}

/** Issues an access token and its refresh token; stores only their hashes. */
export async function issueTokens(
  { tx, now }: Pick<ReadContext, "tx" | "now">,
  grant: Pick<GrantRow, "id" | "scopes">,
  scopes: readonly string[],
) {
  const [access, refresh] = [newSecret(ACCESS_PREFIX), newSecret(REFRESH_PREFIX)];
  const common = { grant_id: grant.id, created_at: now };
  await insertTokens(tx, [
    {
      ...common,
      id: newId("oat", now.getTime()),
      kind: "access",
      token_hash: sha256(access),
      scopes: [...scopes],
      expires_at: new Date(now.getTime() + ACCESS_MS),
    },
    {
      ...common,
      id: newId("oat", now.getTime()),
      kind: "refresh",
      token_hash: sha256(refresh),
      scopes: grant.scopes,
      expires_at: new Date(now.getTime() + REFRESH_MS),
    },
  ]);
  return {
    access_token: access,
    token_type: "Bearer" as const,
    expires_in: ACCESS_MS / 1000,
    refresh_token: refresh,
    scope: scopes.join(" "),
  };
}

function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}
