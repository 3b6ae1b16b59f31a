import { type Selectable, sql } from "kysely";
import type { User } from "#domains/identity/accounts/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import type { Tables } from "../../../../tables.ts";
import type { Identity } from "../protocols/identity.ts";

/** A member of the transaction's workspace, with their link to the provider. */
export interface KnownMember {
  readonly user: User;
  readonly status: string;
  readonly roles: readonly string[];
  readonly link: Link | undefined;
  /** The account owner is not verified yet: neither by mail nor by an earlier login. */
  readonly isProvisional: boolean;
}

type Link = Pick<Selectable<Tables["sso_members"]>, "issuer" | "subject">;

export async function findLinkedUser(
  tx: Tx,
  subject: { readonly issuer: string; readonly id: string },
): Promise<string | undefined> {
  const row = await tx
    .selectFrom("sso_members")
    .select("user_id")
    .where("issuer", "=", subject.issuer)
    .where("subject", "=", subject.id)
    .executeTakeFirst();
  return row?.user_id;
}

/** Finds a member of this workspace by address; of two, the one that the provider created. */
export async function findMember(
  tx: Tx,
  by: { readonly id: string } | { readonly email: string },
): Promise<KnownMember | undefined> {
  const { rows } = await sql<
    Pick<User, "id" | "email" | "name"> & {
      userStatus: User["status"];
      status: string;
      roles: string[];
      isLinked: boolean;
      isProvisional: boolean;
    } & Link
  >`
    select u.id, u.email, u.name, u.status as "userStatus", m.status, m.roles, s.issuer, s.subject,
           s.user_id is not null as "isLinked",
           u.managed_by is null and u.email_verified_at is null and s.confirmed_at is null
             as "isProvisional"
      from memberships m
      join users u on u.id = m.user_id
      left join sso_members s on s.workspace_id = m.workspace_id and s.user_id = m.user_id
     where ${"id" in by ? sql`u.id = ${by.id}` : sql`u.email = ${by.email}`}
     order by u.managed_by is null, u.id limit 1`.execute(tx);
  const [row] = rows;
  if (!row) return undefined;
  const { id, email, name, userStatus, status, roles, isProvisional, issuer, subject } = row;
  return {
    user: { id, email, name, status: userStatus },
    status,
    roles,
    link: row.isLinked ? { issuer, subject } : undefined,
    isProvisional,
  };
}

const SHARED = `
  select m.user_id as id
    from memberships m
    join users u on u.id = m.user_id
    left join sso_members s on s.workspace_id = m.workspace_id and s.user_id = m.user_id
   where m.workspace_id = $1 and (u.email = $2 or s.issuer = $3 and s.subject = $4)
     and exists (select from memberships o where o.user_id = m.user_id and o.workspace_id <> $1)`;

/** The members who may match an identity and also belong to other workspaces. */
export async function findSharedIds(
  db: Database,
  workspace: string,
  { email, subject }: Identity,
): Promise<ReadonlySet<string>> {
  const values = [workspace, email, subject?.issuer ?? null, subject?.id ?? null];
  const rows = await db.system<{ id: string }>(SHARED, values);
  return new Set(rows.map(({ id }) => id));
}

/** Returns the account that this workspace manages for an address; creates it if necessary. */
export async function putManagedAccount(
  tx: Tx,
  account: { readonly id: string; readonly email: string; readonly name: string },
  now: Date,
): Promise<User> {
  const { id, email, name } = account;
  const { rows } = await sql<User>`
    insert into users (id, email, name, managed_by, created_at, updated_at)
    values (${id}, ${email}, ${name}, current_setting('millrace.workspace')::uuid, ${now}, ${now})
    on conflict (managed_by, email) where managed_by is not null do update set updated_at = ${now}
    returning id, email, name, status`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("An account was neither inserted nor found.");
  return row;
}

/** Makes an account managed by this workspace; false if it already manages another one with the same address. */
export async function setManaged(tx: Tx, userId: string): Promise<boolean> {
  const { rows } = await sql`
    update users u set managed_by = current_setting('millrace.workspace')::uuid
     where u.id = ${userId}
       and not exists (select from users o where o.email = u.email
                        and o.managed_by = current_setting('millrace.workspace')::uuid)
    returning u.id`.execute(tx);
  return rows.length > 0;
}

/** False when another transaction just inserted the membership. */
export async function insertMembership(
  tx: Tx,
  userId: string,
  roles: readonly string[],
  now: Date,
): Promise<boolean> {
  const row = await tx
    .insertInto("memberships")
    .values({ user_id: userId, roles: [...roles], created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning("user_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Links a member to the provider's subject. A workspace that only the provider can open stays so. */
export async function putLink(
  tx: Tx,
  link: {
    readonly userId: string;
    readonly subject: { readonly issuer: string; readonly id: string } | undefined;
    readonly ssoOnly: boolean;
  },
  now: Date,
): Promise<void> {
  const { userId, subject, ssoOnly } = link;
  const names = subject ? { issuer: subject.issuer, subject: subject.id } : {};
  const confirmed = { ...names, confirmed_at: now, ...(ssoOnly && { sso_only: true }) };
  await tx
    .insertInto("sso_members")
    .values({ user_id: userId, sso_only: ssoOnly, ...confirmed, created_at: now })
    .onConflict((at) => at.columns(["workspace_id", "user_id"]).doUpdateSet(confirmed))
    .execute();
}
