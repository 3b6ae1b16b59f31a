import type { Platform } from "#kernel/contract.ts";
import { failure } from "#kernel/operation/failure.ts";

/**
 * Enforcement of single sign-on. A separate module, because sessions depend on it, and other parts of single
 * sign-on depend on sessions.
 */
export const SsoRequired = failure(
  "sso_required",
  403,
  "A workspace of this account requires single sign-on. Sign in at `loginUrl`.",
);

/**
 * A membership is unbound if its holder has not demonstrably agreed to it: it was created by the provider alone, it
 * existed before the address was verified, or it was imported with a workspace archive. A configuration that was
 * not set up by an owner does not bind owners.
 */
const MEMBERSHIPS = `
  select w.slug,
         coalesce(c.enforce_sso, false) and (c.set_up_by is not null or not 'owner' = any (m.roles))
           as enforced,
         coalesce(s.sso_only, false) or coalesce(m.created_at < u.email_verified_at, false)
           or coalesce(m.created_at <= i.started_at, false) as unbound
    from memberships m
    join users u on u.id = m.user_id
    join workspaces w on w.key = m.workspace_id
    left join sso_configurations c on c.workspace_id = w.key
    left join sso_members s on s.workspace_id = w.key and s.user_id = m.user_id
    left join workspace_imports i on i.workspace_id = w.key
   where m.user_id = $1 and m.status = 'active' order by w.slug`;

interface MembershipRow {
  readonly slug: string;
  readonly enforced: boolean;
  readonly unbound: boolean;
}

/**
 * Finds the workspace whose single sign-on an account must use. An unbound membership does not count while the
 * account belongs to other workspaces: otherwise any workspace with a provider could lock out other people's
 * accounts. Instead, such a workspace is closed to the account's other sessions.
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
  const required = enforcing.find(({ unbound }) => nothingElse || !unbound);
  return (
    required && { slug: required.slug, loginUrl: `${ssoBaseUrl(origin, required.slug)}/login` }
  );
}

const ENFORCING = `
  select from sso_configurations c
   where c.workspace_id = $1 and c.enforce_sso and (c.set_up_by is not null or not 'owner' = any ($2::text[]))`;

/** Returns whether a new member with these roles must use the single sign-on of a workspace. */
export async function isSsoEnforced(
  { db }: Pick<Platform, "db">,
  { workspace, roleIds }: { readonly workspace: string; readonly roleIds: readonly string[] },
): Promise<boolean> {
  return (await db.system(ENFORCING, [workspace, roleIds])).length > 0;
}

/** The base of all endpoints of a workspace's single sign-on. */
export function ssoBaseUrl(origin: string, slug: string): string {
  // Parsed, so that a default port is omitted, as browsers and providers do.
  return `${new URL(origin).href.replace(/\/+$/, "")}/sso/${slug}`;
}
