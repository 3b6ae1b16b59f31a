import type { Insertable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import type { Tables } from "../../tables.ts";
import type { User } from "./user.ts";

export interface Account {
  readonly user: User;
  readonly passwordHash: string | undefined;
}

/** Before any workspace is known, so as the system. */
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
}

const MEMBERSHIPS = `
  select w.key as workspace, w.slug, w.name, m.roles
    from memberships m join workspaces w on w.key = m.workspace_id
   where m.user_id = $1 order by w.slug`;

export function membershipsOf(db: Database, userId: string): Promise<MembershipRow[]> {
  return db.system<MembershipRow>(MEMBERSHIPS, [userId]);
}

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly expires_at: string;
}

const SESSION = `
  select s.id, s.user_id, u.email, u.name, s.expires_at
    from sessions s join users u on u.id = s.user_id
   where s.token_hash = $1 and s.expires_at > $2 and u.status = 'active'`;

export async function findSession(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<SessionRow | undefined> {
  return (await db.system<SessionRow>(SESSION, [tokenHash, now]))[0];
}

export async function insertSession(tx: Tx, row: Insertable<Tables["sessions"]>): Promise<void> {
  await tx.insertInto("sessions").values(row).execute();
}

export async function deleteSession(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("sessions").where("id", "=", id).execute();
}

export async function insertUser(tx: Tx, row: Insertable<Tables["users"]>): Promise<User> {
  const { id, email, name, status } = await tx
    .insertInto("users")
    .values(row)
    .returning(["id", "email", "name", "status"])
    .executeTakeFirstOrThrow();
  return { id, email, name, status: status as User["status"] };
}

export async function insertMembership(
  tx: Tx,
  row: Insertable<Tables["memberships"]>,
): Promise<void> {
  await tx.insertInto("memberships").values(row).execute();
}

export async function countMembers(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("memberships")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}
