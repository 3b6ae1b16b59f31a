import { listMemberships, toMembership } from "../accounts/index.ts";
import type { CredentialSource } from "#kernel/access/authenticator.ts";
import type { Credential, Membership } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { findByHash, findById, lockToken, touch, type TokenWithOwner } from "./store.ts";
import { hasValidChecksum, parseStoredRange, TOKEN_PREFIX } from "./token.ts";

/** API tokens: each acts as its account, in one workspace, within its scopes. */
export const apiTokens: CredentialSource = {
  prefix: TOKEN_PREFIX,
  kind: "api_token",
  lock: (tx, { id }) => lockToken(tx, id),
  looksRight: hasValidChecksum,
  forgetsOn: {
    person: ["audit.auth.credentials_revoked", "audit.token.*", "user.*"],
    workspace: ["audit.role.*", "workspace.*"],
  },
  async find(platform, tokenHash) {
    const token = await findByHash(platform.db, tokenHash, platform.clock.now());
    const credential = token && (await toCredential(platform, token));
    if (!credential) return undefined;
    const { expires_at } = token;
    return { credential, expiresAtMs: expires_at === null ? Infinity : Date.parse(expires_at) };
  },
  async findById(platform, id) {
    const token = await findById(platform.db, id, platform.clock.now());
    return token && toCredential(platform, token);
  },
  touch: ({ db }, uses) => touch(db, uses),
};

/** Undefined when its person has left the workspace. */
async function toCredential(
  { db, permissions }: Platform,
  token: TokenWithOwner,
): Promise<Credential | undefined> {
  const [row] = await listMemberships(db, token.user_id, token.workspace_id);
  if (!row) return undefined;
  const membership = limitToScopes(toMembership(row, permissions), token.scopes);
  const { user_id: id, email, user_name: name } = token;
  return {
    id: token.id,
    kind: "api_token",
    actor: { id: token.id, name: token.name, type: "api_token" },
    user: { id, email, name },
    ...(token.ip_allowlist && { allowedFrom: token.ip_allowlist.map(parseStoredRange) }),
    memberships: new Map([[row.slug, membership]]),
    scopes: token.scopes,
    confinedTo: membership.workspace,
  };
}

/** Drops `blockedBy` too: a token needs no second factor, because its creator has proved theirs. */
export function limitToScopes(
  { workspace, roles, permissions }: Membership,
  scopes: readonly string[],
): Membership {
  return {
    workspace,
    roles,
    permissions: new Set(scopes.filter((scope) => permissions.has(scope))),
  };
}
