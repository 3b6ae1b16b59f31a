import {
  type MembershipRow,
  listMemberships,
  toMembership,
} from "#domains/identity/accounts/index.ts";
import type { CredentialSource } from "#kernel/access/authenticator.ts";
import { SESSION_COOKIE } from "#kernel/http/authenticate.ts";
import { workspaceIdOf } from "#kernel/schema/id.ts";
import type { Settings } from "#kernel/settings.ts";
import { findSession, lockSession, type SessionRow, touchSessions } from "./store.ts";

export const SESSION_PREFIX = "mrs_";

/** Session tokens: the account's own permissions, in each of its workspaces. */
export const sessionTokens: CredentialSource = {
  prefix: SESSION_PREFIX,
  kind: "session",
  lock: (tx, { id }) => lockSession(tx, id),
  forgetsOn: {
    person: ["audit.auth.*", "audit.mfa.*", "audit.operator.*", "user.*", "workspace.created"],
    workspace: [
      "audit.role.*",
      "audit.mfa.enforced",
      "audit.mfa.unenforced",
      "audit.sso.updated",
      "audit.sso.deleted",
      "workspace.*",
    ],
    // An imported archive adds memberships of existing accounts.
    everybody: ["audit.workspace.imported"],
  },
  async find({ db, clock, permissions }, tokenHash) {
    const session = await findSession(db, tokenHash, clock.now());
    if (!session) return undefined;
    const { id, user_id, email, name, expires_at, confined_to } = session;
    const memberships = usableMemberships(
      session,
      await listMemberships(db, user_id, confined_to ?? undefined),
    );
    return {
      credential: {
        id,
        kind: "session",
        actor: { id: user_id, name, type: "user" },
        user: { id: user_id, email, name },
        memberships: new Map(memberships.map((row) => [row.slug, toMembership(row, permissions)])),
        // A workspace's identity provider can authenticate its members, but not the installation operator.
        ...(session.is_operator && confined_to === null && { isOperator: true }),
        ...(confined_to !== null && {
          confinedTo: { key: confined_to, id: workspaceIdOf(confined_to) },
        }),
      },
      expiresAtMs: Date.parse(expires_at),
      closedTo: session.closed,
    };
  },
  touch: ({ db }, uses) => touchSessions(db, uses),
};

/**
 * The memberships that a session may use. A session from a workspace's identity provider is limited to that
 * workspace, and the provider is responsible for the second factor.
 */
function usableMemberships({ confined_to, closed }: SessionRow, rows: readonly MembershipRow[]) {
  if (confined_to === null) return rows.filter(({ workspace }) => !closed.includes(workspace));
  return rows
    .filter(({ workspace }) => workspace === confined_to)
    .map((row) => ({ ...row, barred: false }));
}

/** The session token as a cookie for pages of this server, not readable by scripts. */
export function buildSessionCookie(
  { token, expiresAt }: { readonly token: string; readonly expiresAt: string },
  { baseUrl }: Settings,
): string {
  const expires = new Date(expiresAt).toUTCString();
  const secure = baseUrl?.startsWith("https:") ? "; Secure" : "";
  return `${SESSION_COOKIE}=${token}; Path=/; HttpOnly; SameSite=Lax; Expires=${expires}${secure}`;
}
