import { type Insertable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import type { Tables } from "../../../tables.ts";
import type { User } from "./user.ts";

export interface Account {
  readonly user: User;
  readonly passwordHash: string | undefined;
}

/** Runs as the system: before the login no workspace is known. */
export async function findAccount(db: Database, email: string): Promise<Account | undefined> {
  const [row] = await db.system<{
    id: string;
    email: string;
    name: string;
    status: User["status"];
    password_hash: string | null;
  }>("select id, email, name, status, password_hash from users where email = $1", [email]);
  if (!row) return undefined;
  const { password_hash, ...user } = row;
  return { user, passwordHash: password_hash ?? undefined };
}

export interface MembershipRow {
  readonly workspace: string;
  readonly slug: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Permissions and patterns that the custom roles grant. */
  readonly granted: readonly string[];
  /** The workspace demands a second factor, and the person has none. */
  readonly barred: boolean;
}

const MEMBERSHIPS = `
  select w.key as workspace, w.slug, w.name, m.roles, w.enforce_mfa and not u.mfa_enrolled as barred,
         array(select unnest(r.permissions) from roles r
                where r.workspace_id = m.workspace_id and r.id = any (m.roles)) as granted
    from memberships m
    join workspaces w on w.key = m.workspace_id
    join users u on u.id = m.user_id
   where m.user_id = $1 and m.status = 'active' order by w.slug`;

export function listMemberships(db: Database, userId: string): Promise<MembershipRow[]> {
  return db.system<MembershipRow>(MEMBERSHIPS, [userId]);
}

/** The roles of active members of this workspace, and what the custom ones among them grant. */
export async function findMemberRoles(
  tx: Tx,
  userIds: readonly string[],
): Promise<(Pick<MembershipRow, "roles" | "granted"> & { readonly userId: string })[]> {
  const { rows } = await sql<{ userId: string; roles: string[]; granted: string[] }>`
    select m.user_id as "userId", m.roles,
           array(select unnest(r.permissions) from roles r where r.id = any (m.roles)) as granted
      from memberships m
     where m.user_id = any (${userIds}::text[]) and m.status = 'active'`.execute(tx);
  return rows;
}

export async function insertUser(tx: Tx, row: Insertable<Tables["users"]>): Promise<User> {
  const { id, email, name, status } = await tx
    .insertInto("users")
    .values(row)
    .returning(["id", "email", "name", "status"])
    .executeTakeFirstOrThrow();
  return { id, email, name, status: status as User["status"] };
}

export async function renameUser(tx: Tx, id: string, name: string, now: Date): Promise<void> {
  await tx
    .updateTable("users")
    .set({ name, updated_at: now })
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", id)
    .execute();
}

/** Ends no sessions: the caller does. */
export async function setPassword(tx: Tx, id: string, hash: string, now: Date): Promise<void> {
  await tx
    .updateTable("users")
    .set({ password_hash: hash, updated_at: now })
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", id)
    .execute();
}

export async function insertMembership(
  tx: Tx,
  member: { readonly userId: string; readonly roles: readonly string[]; readonly now: Date },
): Promise<void> {
  const { userId, roles, now } = member;
  await tx
    .insertInto("memberships")
    .values({ user_id: userId, roles: [...roles], created_at: now, updated_at: now })
    .execute();
}

export async function countMembers(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("memberships")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}
