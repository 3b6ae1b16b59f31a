import type { Tx } from "#kernel/db/connection.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";

/**
 * Finds the id of a role, as stored in memberships, by its name or id; never `owner`, which no provider may grant.
 */
export async function findRoleId(tx: Tx, nameOrId: string): Promise<string | undefined> {
  const builtIn = BUILT_IN_ROLES.find((role) => role === nameOrId);
  if (builtIn) return builtIn === "owner" ? undefined : builtIn;
  const row = await tx
    .selectFrom("roles")
    .select("id")
    .where((role) => role.or([role("id", "=", nameOrId), role("name", "=", nameOrId)]))
    .executeTakeFirst();
  return row?.id;
}

/** Throws unless the workspace has the role, and a provider may grant it. */
export async function assertDefaultRole(tx: Tx, nameOrId: string): Promise<void> {
  if ((await findRoleId(tx, nameOrId)) === undefined) {
    throw invalidField("/defaultRole", "is not a role of this workspace");
  }
}
