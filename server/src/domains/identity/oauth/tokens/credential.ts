import type { CredentialSource } from "#kernel/access/authenticator.ts";
import { findLiveToken, lockGrant } from "../grant-store.ts";
import { effectivePermissions, findMembership } from "../scope.ts";
import { ACCESS_PREFIX } from "./token.ts";

/**
 * Access tokens: each acts as the account that gave consent, in the application's workspace only, within
 * the granted scopes. The second factor was shown at the login before the consent.
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
    const membership = await findMembership(platform, token.user_id, token.workspace);
    if (!membership) return undefined;
    const { workspace, roles, permissions, slug } = membership;
    const scopes = effectivePermissions(token.scopes, token.allowed_scopes, permissions);
    return {
      credential: {
        // The grant's id, so that limits and idempotency keys outlive a refresh.
        id: token.grant_id,
        kind: "oauth",
        actor: { id: token.user_id, name: token.name, type: "user" },
        user: { id: token.user_id, email: token.email, name: token.name },
        memberships: new Map([[slug, { workspace, roles, permissions: new Set(scopes) }]]),
        confinedTo: workspace,
      },
      expiresAtMs: Date.parse(token.expires_at),
    };
  },
};
