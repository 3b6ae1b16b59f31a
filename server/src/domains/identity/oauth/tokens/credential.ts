import type { CredentialSource } from "#kernel/access/authenticator.ts";
import type { Credential } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { findLiveToken, findNewestToken, type LiveToken, lockGrant } from "../grant-store.ts";
import { AGENT_SCOPE, effectivePermissions, findMembership } from "../scope.ts";
import { ACCESS_PREFIX } from "./token.ts";

/**
 * Access tokens: each acts as the account that consented, only in the application's workspace, within the granted
 * scopes. The second factor was verified at the login before the consent.
 */
export const accessTokens: CredentialSource = {
  prefix: ACCESS_PREFIX,
  kind: "oauth",
  lock: (tx, { id }) => lockGrant(tx, id),
  forgetsOn: {
    person: [
      "audit.auth.credentials_revoked",
      "audit.oauth_consent.revoked",
      "audit.oauth_token.revoked",
      "audit.oauth_token.reuse_detected",
      "user.*",
    ],
    workspace: ["audit.oauth_application.*", "audit.role.*", "workspace.*"],
  },
  async find(platform, tokenHash) {
    const token = await findLiveToken(platform.db, tokenHash, platform.clock.now());
    if (token?.kind !== "access") return undefined;
    const credential = await toCredential(platform, token);
    return credential && { credential, expiresAtMs: Date.parse(token.expires_at) };
  },
  async findById(platform, id) {
    const token = await findNewestToken(platform.db, id, platform.clock.now());
    return token && toCredential(platform, token);
  },
};

/** Undefined when its person has left the workspace. */
async function toCredential(platform: Platform, token: LiveToken): Promise<Credential | undefined> {
  const membership = await findMembership(platform, token.user_id, token.workspace);
  if (!membership) return undefined;
  const { workspace, roles, permissions, slug } = membership;
  const scopes = effectivePermissions(token.scopes, token.allowed_scopes, permissions);
  const { user_id: id, name, email, grant_id, application } = token;
  // Also if the person has lost that permission, because the program is the same.
  const isAgent = token.scopes.includes(AGENT_SCOPE);
  return {
    // The id of the grant, so that limits and idempotency keys survive a refresh.
    id: grant_id,
    kind: "oauth",
    // The log must distinguish an agent from its member.
    actor: isAgent
      ? { id: grant_id, name: application, type: "api_token" }
      : { id, name, type: "user" },
    user: { id, email, name },
    memberships: new Map([[slug, { workspace, roles, permissions: new Set(scopes) }]]),
    scopes: token.scopes,
    confinedTo: workspace,
  };
}
