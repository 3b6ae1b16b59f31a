import { type RawBuilder, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";

/** An account with its membership in one workspace. */
export interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly status: "active" | "deactivated";
  readonly roles: readonly string[];
  readonly managerId: string | null;
  readonly revision: number;
  readonly createdAt: string;
}

/** A removed manager is null. */
const COLUMNS = sql`
  u.id, u.email, u.name, m.status, m.roles, m.revision, m.created_at as "createdAt",
  (select g.user_id from memberships g
    where g.workspace_id = m.workspace_id and g.user_id = m.manager_id) as "managerId"`;

export async function listMembers(
  tx: Tx,
  page: {
    readonly after: string;
    readonly limit: number;
    readonly q?: string | undefined;
    readonly status?: MemberRow["status"] | undefined;
    readonly role?: string | undefined;
    readonly managerId?: string | undefined;
    readonly ids?: readonly string[] | undefined;
  },
): Promise<MemberRow[]> {
  const words = page.q ?? "";
  const { rows } = await sql<MemberRow>`
    select ${COLUMNS} from memberships m join users u on u.id = m.user_id
     where m.user_id > ${page.after}
       and (${words}::text = '' or position(lower(${words}) in lower(u.name)) > 0
                                or position(lower(${words}) in u.email) > 0)
       and m.status = coalesce(${page.status ?? null}, m.status)
       and (${page.role ?? null}::text is null or ${page.role ?? null} = any (m.roles))
       and (${page.managerId ?? null}::text is null or m.manager_id = ${page.managerId ?? null})
       and (${page.ids ?? null}::text[] is null or m.user_id = any (${page.ids ?? null}::text[]))
     order by m.user_id limit ${page.limit}`.execute(tx);
  return rows;
}

export async function getMember(tx: Tx, userId: string): Promise<MemberRow> {
  const { rows } = await sql<MemberRow>`
    select ${COLUMNS} from memberships m join users u on u.id = m.user_id
     where m.user_id = ${userId}`.execute(tx);
  return requireMember(rows[0]);
}

/** The active members with one of these roles, locked against removal until the transaction ends. */
export async function findMembersWithRoles(
  tx: Tx,
  roles: readonly string[],
  limit: number,
): Promise<MemberRow[]> {
  return activeMembers(tx, sql`m.roles && ${roles}::text[]`, limit);
}

/** The active members among these users, locked against removal until the transaction ends. */
export async function findMembersByIds(tx: Tx, userIds: readonly string[]): Promise<MemberRow[]> {
  return activeMembers(tx, sql`m.user_id = any (${userIds}::text[])`, userIds.length);
}

/** The active members with these addresses, in small letters. */
export async function findMembersByEmail(tx: Tx, emails: readonly string[]): Promise<MemberRow[]> {
  return activeMembers(tx, sql`lower(u.email) = any (${emails}::text[])`, emails.length);
}

/** Counts the active members by their combination of roles. */
export async function countMembersByRoles(
  tx: Tx,
): Promise<{ readonly roles: readonly string[]; readonly members: number }[]> {
  const { rows } = await sql<{ roles: string[]; members: number }>`
    select m.roles, count(*)::integer as members from memberships m join users u on u.id = m.user_id
     where m.status = 'active' and u.status = 'active' group by m.roles`.execute(tx);
  return rows;
}

/** The names and addresses of these accounts that are members, active or not. */
export async function findMemberNames(
  tx: Tx,
  userIds: readonly string[],
): Promise<Pick<MemberRow, "id" | "name" | "email">[]> {
  const { rows } = await sql<Pick<MemberRow, "id" | "name" | "email">>`
    select u.id, u.name, u.email from memberships m join users u on u.id = m.user_id
     where m.user_id = any (${userIds}::text[])`.execute(tx);
  return rows;
}

/** Locks the membership until the transaction ends. */
export async function lockMember(tx: Tx, userId: string): Promise<MemberRow> {
  const { rows } = await sql<MemberRow>`
    select ${COLUMNS} from memberships m join users u on u.id = m.user_id
     where m.user_id = ${userId} for update of m`.execute(tx);
  return requireMember(rows[0]);
}

/** Locks the active owners in order, so that two owners cannot both leave concurrently. */
export async function lockOwners(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    select user_id from memberships where 'owner' = any (roles) and status = 'active'
     order by user_id for update`.execute(tx);
  return rows.map(({ user_id }) => user_id);
}

export async function setRoles(
  tx: Tx,
  userId: string,
  roles: readonly string[],
  now: Date,
): Promise<void> {
  await tx
    .updateTable("memberships")
    .set({ roles: [...roles], updated_at: now })
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("user_id", "=", userId)
    .execute();
}

export async function updateMembership(
  tx: Tx,
  userId: string,
  { status, managerId }: Pick<MemberRow, "status" | "managerId">,
  now: Date,
): Promise<void> {
  await tx
    .updateTable("memberships")
    .set({ status, manager_id: managerId, updated_at: now })
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("user_id", "=", userId)
    .execute();
}

/** Finds the managers of members, by member id. */
export async function findManagers(
  tx: Tx,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; managerId: string }>`
    select m.user_id as id, m.manager_id as "managerId" from memberships m
     where m.user_id = any (${userIds}::text[]) and m.manager_id is not null`.execute(tx);
  return new Map(rows.map(({ id, managerId }) => [id, managerId]));
}

export async function removeMember(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("memberships").where("user_id", "=", userId).execute();
}

/**
 * Locked in a fixed order like owners, but with shared locks, because two transactions may need the same member.
 */
async function activeMembers(
  tx: Tx,
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select ${COLUMNS} from memberships m join users u on u.id = m.user_id
     where m.status = 'active' and u.status = 'active' and ${condition}
     order by m.user_id limit ${limit} for key share of m`.execute(tx);
  return rows;
}

function requireMember(row: MemberRow | undefined): MemberRow {
  if (!row) throw new Failure(NotFound);
  return row;
}
