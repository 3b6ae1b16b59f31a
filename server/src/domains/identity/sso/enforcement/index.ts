import type { Platform } from "#kernel/contract.ts";
import { failure } from "#kernel/operation/failure.ts";

/**
 * Enforcement of single sign-on. In a module of its own, since sessions depend on it, and the rest of
 * single sign-on depends on sessions.
 */
export const SsoRequired = failure(
  "sso_required",
  403,
  "A workspace of this account demands its single sign-on; `loginUrl` leads there.",
);

const MEMBERSHIPS = `
  select w.slug, coalesce(c.enforce_sso, false) as enforced, coalesce(s.adopted, false) as adopted
    from memberships m
    join workspaces w on w.key = m.workspace_id
    left join sso_configurations c on c.workspace_id = w.key
    left join sso_members s on s.workspace_id = w.key and s.user_id = m.user_id
   where m.user_id = $1 and m.status = 'active' order by w.slug`;

interface MembershipRow {
  readonly slug: string;
  readonly enforced: boolean;
  readonly adopted: boolean;
}

/**
 * Finds the workspace whose single sign-on an account must use. A workspace that adopted the account by
 * its provider's word alone does not count while the account belongs elsewhere: otherwise anybody with
 * a workspace and a provider could lock a stranger out. Such a workspace is closed to the account's
 * other sessions instead.
 */
export async function findEnforcedSso(
  { db }: Pick<Platform, "db">,
  userId: string,
  origin: string,
): Promise<{ readonly slug: string; readonly loginUrl: string } | undefined> {
  const rows = await db.system<MembershipRow & { [column: string]: unknown }>(MEMBERSHIPS, [
    userId,
  ]);
  const enforcing = rows.filter(({ enforced }) => enforced);
  const nothingElse = enforcing.length === rows.length;
  const required = enforcing.find(({ adopted }) => nothingElse || !adopted);
  return (
    required && { slug: required.slug, loginUrl: `${ssoBaseUrl(origin, required.slug)}/login` }
  );
}

/** The base of all endpoints of a workspace's single sign-on. */
export function ssoBaseUrl(origin: string, slug: string): string {
  // Parsed, so that a default port is left out as browsers and providers do.
  return `${new URL(origin).href.replace(/\/+$/, "")}/sso/${slug}`;
}
