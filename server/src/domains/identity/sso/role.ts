import type { PlatformServices } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { BUILT_IN_ROLES, expandPermissions } from "#kernel/access/permission.ts";

interface GrantableRole {
  /** As stored in memberships: a built-in name, or the id of a custom role. */
  readonly id: string;
  readonly permissions: ReadonlySet<string>;
}

/** Finds a role by its name or id; never `owner`, which no identity provider may grant. */
export async function findRole(
  tx: Tx,
  { permissions: catalog }: Pick<PlatformServices, "permissions">,
  nameOrId: string,
): Promise<GrantableRole | undefined> {
  const builtIn = BUILT_IN_ROLES.find((role) => role === nameOrId);
  if (builtIn === "owner") return undefined;
  if (builtIn) {
    const held = catalog.filter(({ roles }) => roles.includes(builtIn)).map(({ name }) => name);
    return { id: builtIn, permissions: new Set(held) };
  }
  const row = await tx
    .selectFrom("roles")
    .select(["id", "permissions"])
    .where((role) => role.or([role("id", "=", nameOrId), role("name", "=", nameOrId)]))
    .executeTakeFirst();
  return row && { id: row.id, permissions: expandPermissions(row.permissions, catalog) };
}

/** Throws when the role has a permission that the caller lacks. */
export async function assertGrantable(
  tx: Tx,
  services: PlatformServices,
  nameOrId: string,
  held: ReadonlySet<string>,
): Promise<void> {
  const role = await findRole(tx, services, nameOrId);
  if (!role) throw invalidField("/defaultRole", "is not a role of this workspace");
  const lacking = [...role.permissions].filter((name) => !held.has(name));
  if (lacking.length > 0) {
    throw new Failure(Forbidden, {
      detail: `You can't have granted what you lack: ${lacking.join(", ")}.`,
    });
  }
}
