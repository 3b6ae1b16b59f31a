import type { Platform } from "#kernel/contract.ts";
import { failure } from "#kernel/operation/failure.ts";

/**
 * Whether somebody must use single sign-on. Apart from the rest of it, since logging in asks here, and
 * the rest asks for sessions.
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
 * The workspace whose single sign-on this person must use, when there is one. Workspaces that adopted
 * them by their provider's word alone do not count as long as the person belongs elsewhere: otherwise
 * anybody with a workspace and a provider could lock a stranger out of everything. Sessions of
 * theirs do not see such a workspace instead.
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

/** Under which all of a workspace's single sign-on is found. */
export function ssoBaseUrl(origin: string, slug: string): string {
  // Through the parser, so that a default port is left out as browsers and providers do.
  return `${new URL(origin).href.replace(/\/+$/, "")}/sso/${slug}`;
}
