import { type Insertable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import type { Tables } from "../../../tables.ts";
import type { User } from "./user.ts";

export interface Account {
  readonly user: User;
  readonly passwordHash: string | undefined;
  /** The account holder has proved access to the mailbox of its address. */
  readonly verified: boolean;
}

/**
 * Finds a person's own account, not one managed by a workspace. Runs as the system, because no workspace is known
 * yet.
 */
export async function findAccount(db: Database, email: string): Promise<Account | undefined> {
  const [row] = await db.system<{
    id: string;
    email: string;
    name: string;
    status: User["status"];
    password_hash: string | null;
    verified: boolean;
  }>(ACCOUNT, [email]);
  if (!row) return undefined;
  const { password_hash, verified, ...user } = row;
  return { user, passwordHash: password_hash ?? undefined, verified };
}

const ACCOUNT = `
  select id, email, name, status, password_hash, email_verified_at is not null as verified
    from users where email = $1 and managed_by is null`;

const RELEASABLE = `
  select u.id, u.email, u.name, u.status, w.name as workspace, w.slug
    from users u join workspaces w on w.key = u.managed_by
   where u.email = $1 and u.status = 'active'
     and not exists (select from sso_configurations c where c.workspace_id = u.managed_by)
     and exists (select from memberships m where m.user_id = u.id and m.status = 'active')
   order by u.id limit $2`;
/** The maximum number of accounts that a mail may list. Providers of any workspace may have created them. */
const RELEASABLE_MAX = 20;

/** An account, and the workspace that manages it. */
export type ManagedUser = User & { readonly workspace: string; readonly slug: string };

/**
 * The accounts of an address whose workspaces have removed single sign-on, so that no login can open them. Any
 * workspace could have created such an account for the address of another person, so the person chooses which are
 * theirs.
 */
export async function listReleasableUsers(
  db: Database,
  email: string,
): Promise<readonly ManagedUser[]> {
  return db.system<ManagedUser>(RELEASABLE, [email, RELEASABLE_MAX]);
}

/** Converts a managed account to the person's own account, which may have a password. */
export async function releaseAccount(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("users").set({ managed_by: null }).where("id", "=", id).execute();
}

/** The workspaces of an account, including those where it is deactivated. */
export async function listWorkspaceKeys(db: Database, userId: string): Promise<string[]> {
  const rows = await db.system<{ workspace: string }>(
    "select workspace_id as workspace from memberships where user_id = $1 order by 1",
    [userId],
  );
  return rows.map(({ workspace }) => workspace);
}

/**
 * Returns whether a person needs more than access to their mail to enter a workspace: a second factor or single
 * sign-on.
 */
export async function needsStrongSignIn(
  db: Database,
  workspace: string,
  userId: string,
): Promise<boolean> {
  const [row] = await db.system<{ needed: boolean }>(
    `select w.enforce_mfa or u.mfa_enrolled
            or exists (select from sso_configurations s where s.workspace_id = w.key and s.enforce_sso) as needed
     from workspaces w, users u where w.key = $1 and u.id = $2`,
    [workspace, userId],
  );
  return row?.needed ?? true;
}

/** Records that an account holder reads its mail; false if that was already known. */
export async function setEmailVerified(tx: Tx, id: string, now: Date): Promise<boolean> {
  const row = await tx
    .updateTable("users")
    .set({ email_verified_at: now, updated_at: now })
    .where("id", "=", id)
    .where("email_verified_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks an account's password until the transaction ends; false if it has changed. */
export async function lockPassword(tx: Tx, id: string, hash: string | undefined): Promise<boolean> {
  const row = await tx
    .selectFrom("users")
    .select("password_hash")
    .where("id", "=", id)
    .forShare()
    .executeTakeFirst();
  return hash !== undefined && row?.password_hash === hash;
}

export async function removePassword(tx: Tx, id: string): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("users")
    .set({ password_hash: null })
    .where("id", "=", id)
    .where("password_hash", "is not", null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export interface MembershipRow {
  readonly workspace: string;
  readonly slug: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Permissions and patterns that the custom roles grant. */
  readonly granted: readonly string[];
  /** The names of the custom roles among them, by id; null if there are none. */
  readonly customRoles: Readonly<Record<string, string>> | null;
  /** A webhook or workflow of the workspace may receive account events. */
  readonly hearsAudit: boolean;
  /** The workspace requires a second factor, and the person has none. */
  readonly barred: boolean;
}

const MEMBERSHIPS = `
  select w.key as workspace, w.slug, w.name, m.roles, w.hears_audit as "hearsAudit",
         w.enforce_mfa and not u.mfa_enrolled as barred,
         array(select unnest(r.permissions) from roles r
                where r.workspace_id = m.workspace_id and r.id = any (m.roles)) as granted,
         (select jsonb_object_agg(r.id, r.name) from roles r
           where r.workspace_id = m.workspace_id and r.id = any (m.roles)) as "customRoles"
    from memberships m
    join workspaces w on w.key = m.workspace_id
    join users u on u.id = m.user_id
   where m.user_id = $1 and m.status = 'active' and ($2::uuid is null or m.workspace_id = $2)
   order by w.slug`;

/** The active memberships of an account; with a workspace key only that one. */
export function listMemberships(
  db: Database,
  userId: string,
  workspace?: string,
): Promise<MembershipRow[]> {
  return db.system<MembershipRow>(MEMBERSHIPS, [userId, workspace ?? null]);
}

/** The membership of an account in one workspace, if it is active. */
export async function findMembership(
  db: Database,
  workspace: string,
  userId: string,
): Promise<MembershipRow | undefined> {
  return (await listMemberships(db, userId, workspace))[0];
}

/** The permissions and patterns granted by the custom roles among these. */
export async function findGrantedByRoles(tx: Tx, roles: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ granted: string }>`
    select distinct unnest(permissions) as granted from roles where id = any (${roles}::text[])`.execute(
    tx,
  );
  return rows.map(({ granted }) => granted);
}

/** The roles of active members of this workspace, and the grants of custom roles. */
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
