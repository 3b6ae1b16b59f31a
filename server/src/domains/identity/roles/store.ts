import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../tables.ts";
import type { Role } from "./role.ts";

type Row = Selectable<Tables["roles"]>;

export async function list(tx: Tx, after: string, limit: number): Promise<Role[]> {
  const rows = await tx
    .selectFrom("roles")
    .selectAll()
    .where("name", ">", after)
    .orderBy("name")
    .limit(limit)
    .execute();
  return rows.map(toRole);
}

export async function find(tx: Tx, id: string): Promise<Role | undefined> {
  const row = await byId(tx, id).executeTakeFirst();
  return row && toRole(row);
}

export async function findByName(tx: Tx, name: string): Promise<Role | undefined> {
  const row = await tx.selectFrom("roles").selectAll().where("name", "=", name).executeTakeFirst();
  return row && toRole(row);
}

/** Finds the names of the custom roles among these. */
export async function findRoleNames(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const custom = ids.filter((id) => id.startsWith("rol_"));
  if (custom.length === 0) return [];
  const rows = await tx.selectFrom("roles").select("name").where("id", "in", custom).execute();
  return rows.map(({ name }) => name);
}

/** The ids of custom roles with these names. */
export async function findRoleIds(tx: Tx, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await tx.selectFrom("roles").select("id").where("name", "in", names).execute();
  return rows.map(({ id }) => id);
}

/** Reads the permissions of every custom role of the workspace. */
export async function readRoleGrants(tx: Tx): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await tx.selectFrom("roles").select(["id", "permissions"]).execute();
  return new Map(rows.map(({ id, permissions }) => [id, permissions]));
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, id: string): Promise<Role & { readonly revision: number }> {
  const row = await byId(tx, id).forUpdate().executeTakeFirst();
  if (!row) throw new Failure(NotFound);
  return { ...toRole(row), revision: row.revision };
}

export async function insert(tx: Tx, row: Insertable<Tables["roles"]>): Promise<Role> {
  return toRole(await tx.insertInto("roles").values(row).returningAll().executeTakeFirstOrThrow());
}

export async function update(
  tx: Tx,
  id: string,
  change: Updateable<Tables["roles"]>,
): Promise<Role> {
  return toRole(
    await tx
      .updateTable("roles")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("roles").where("id", "=", id).execute();
}

/** True while a member or an open invitation has the role. */
export async function isInUse(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select from memberships where ${id} = any (roles)
    union all
    select from invitations where ${id} = any (role_ids) and expires_at > ${now}
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** Finds an active member's roles, with the permissions of custom roles. */
export async function findMemberGrants(
  tx: Tx,
  userId: string,
): Promise<{ readonly roles: string[]; readonly granted: string[] } | undefined> {
  const { rows } = await sql<{ roles: string[]; granted: string[] }>`
    select m.roles, array(select unnest(r.permissions) from roles r
                           where r.id = any (m.roles)) as granted
      from memberships m join users u on u.id = m.user_id
     where m.user_id = ${userId} and m.status = 'active' and u.status = 'active'`.execute(tx);
  return rows[0];
}

function byId(tx: Tx, id: string) {
  return tx.selectFrom("roles").selectAll().where("id", "=", id);
}

function toRole(row: Row): Role {
  const { id, name, description, permissions, revision, created_at } = row;
  return { id, name, description, permissions, builtIn: false, createdAt: created_at, revision };
}
