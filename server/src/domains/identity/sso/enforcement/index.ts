import type { Outside } from "#kernel/caller.ts";
import { failure } from "#kernel/failure.ts";

/**
 * Whether somebody must use single sign-on. Apart from the rest of it, since logging in asks here, and
 * the rest asks for sessions.
 */
export const SsoRequired = failure(
  "sso_required",
  403,
  "A workspace of this account demands its single sign-on; `loginUrl` leads there.",
);

/**
 * Accounts that a workspace adopted by its identity provider's word alone are left out: otherwise
 * anybody with a workspace and a provider of their own could lock a stranger out of everything.
 */
const ENFORCED = `
  select w.slug from memberships m
    join workspaces w on w.key = m.workspace_id
    join sso_configurations c on c.workspace_id = w.key
   where m.user_id = $1 and m.status = 'active' and c.enforce_sso
     and not exists (select from sso_members s
                      where s.workspace_id = w.key and s.user_id = m.user_id and s.adopted)
   order by w.slug limit 1`;

/** The workspace whose single sign-on this person must use, when there is one. */
export async function enforcedFor(
  { db }: Pick<Outside, "db">,
  userId: string,
  origin: string,
): Promise<{ readonly slug: string; readonly loginUrl: string } | undefined> {
  const [row] = await db.system<{ slug: string }>(ENFORCED, [userId]);
  return row && { slug: row.slug, loginUrl: `${placeUrl(origin, row.slug)}/login` };
}

/** Under which all of a workspace's single sign-on is found. */
export function placeUrl(origin: string, slug: string): string {
  // Through the parser, so that a default port is left out as browsers and providers do.
  return `${new URL(origin).href.replace(/\/+$/, "")}/sso/${slug}`;
}
