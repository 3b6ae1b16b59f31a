import type { Selectable } from "kysely";
import type { User } from "#domains/identity/accounts/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Tables } from "../../../../tables.ts";

export interface KnownAccount {
  readonly user: User;
  /** In the transaction's workspace; undefined when the account is no member of it. */
  readonly membership: { readonly status: string } | undefined;
  readonly link: Link | undefined;
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

/** Finds an account with its membership and provider link in this workspace. */
export async function findAccount(
  tx: Tx,
  by: { readonly id: string } | { readonly email: string },
): Promise<KnownAccount | undefined> {
  const users = tx.selectFrom("users").select(["id", "email", "name", "status"]);
  const row = await (
    "id" in by ? users.where("id", "=", by.id) : users.where("email", "=", by.email)
  ).executeTakeFirst();
  if (!row) return undefined;
  const membership = await tx
    .selectFrom("memberships")
    .select("status")
    .where("user_id", "=", row.id)
    .executeTakeFirst();
  const link = await tx
    .selectFrom("sso_members")
    .select(["issuer", "subject"])
    .where("user_id", "=", row.id)
    .executeTakeFirst();
  return { user: { ...row, status: row.status as User["status"] }, membership, link };
}

/** Inserts an account without a password; undefined when another transaction just did. */
export async function insertAccount(
  tx: Tx,
  account: { readonly id: string; readonly email: string; readonly name: string },
  now: Date,
): Promise<User | undefined> {
  const row = await tx
    .insertInto("users")
    .values({ ...account, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning(["id", "email", "name"])
    .executeTakeFirst();
  return row && { ...row, status: "active" };
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

/** Links a member to the provider's subject; `adopted` of an existing link stays. */
export async function putLink(
  tx: Tx,
  link: {
    readonly userId: string;
    readonly subject: { readonly issuer: string; readonly id: string } | undefined;
    readonly adopted: boolean;
  },
  now: Date,
): Promise<void> {
  const { userId, subject, adopted } = link;
  const names = subject ? { issuer: subject.issuer, subject: subject.id } : {};
  const insert = tx
    .insertInto("sso_members")
    .values({ user_id: userId, ...names, adopted, created_at: now });
  await (
    subject
      ? insert.onConflict((at) => at.columns(["workspace_id", "user_id"]).doUpdateSet(names))
      : insert.onConflict((at) => at.columns(["workspace_id", "user_id"]).doNothing())
  ).execute();
}
