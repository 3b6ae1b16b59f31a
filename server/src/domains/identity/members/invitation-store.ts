import { type Insertable, type Selectable, sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import type { Tables } from "../../../tables.ts";
import type { Invitation } from "./invitation.ts";

/** Returns whether a member of this workspace has the address, with any account. */
export async function isMember(tx: Tx, email: string): Promise<boolean> {
  const row = await tx
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.user_id")
    .select("users.id")
    .where("users.email", "=", email)
    .executeTakeFirst();
  return row !== undefined;
}

/** Inserts an invitation and replaces an older one for the same address. */
export async function replace(tx: Tx, row: Insertable<Tables["invitations"]>): Promise<Invitation> {
  await tx.deleteFrom("invitations").where("email", "=", row.email).execute();
  return toInvitation(
    await tx.insertInto("invitations").values(row).returningAll().executeTakeFirstOrThrow(),
  );
}

/** Lists the invitations that can still be accepted. */
export async function list(
  tx: Tx,
  now: Date,
  page: { readonly after: string; readonly limit: number },
): Promise<Invitation[]> {
  const rows = await tx
    .selectFrom("invitations")
    .selectAll()
    .where("id", ">", page.after)
    .where(sql<boolean>`expires_at > ${now}`)
    .orderBy("id")
    .limit(page.limit)
    .execute();
  return rows.map(toInvitation);
}

/** Deletes and returns an invitation; undefined if another transaction has deleted it. */
export async function remove(
  tx: Tx,
  id: string,
): Promise<(Invitation & { readonly revision: number }) | undefined> {
  const row = await tx
    .deleteFrom("invitations")
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row && { ...toInvitation(row), revision: row.revision };
}

/** Deletes and returns the invitations that an account sent in this workspace, with any credential. */
export async function removeSentBy(tx: Tx, userId: string): Promise<Invitation[]> {
  const rows = await tx
    .deleteFrom("invitations")
    .where("invited_by", "=", userId)
    .returningAll()
    .execute();
  return rows.map(toInvitation);
}

export interface OpenInvitation {
  readonly id: string;
  readonly workspace: string;
  /** The slug of the workspace. */
  readonly slug: string;
  readonly email: string;
  readonly name: string;
  readonly roleIds: readonly string[];
  readonly invitedBy: string;
  /** The link was mailed to the address, so its holder can read the mail there. */
  readonly mailed: boolean;
}

/** Runs as the system, because only the invitation contains the workspace. */
export async function findByTokenHash(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<OpenInvitation | undefined> {
  const [row] = await db.system<OpenInvitation>(
    `select i.id, i.workspace_id as workspace, w.slug, i.email, i.name, i.role_ids as "roleIds",
            i.invited_by as "invitedBy", i.mailed
       from invitations i join workspaces w on w.key = i.workspace_id
      where i.token_hash = $1 and i.expires_at > $2`,
    [tokenHash, now],
  );
  return row;
}

/** An invitation as shown on its page. */
export interface DescribedInvitation {
  readonly email: string;
  readonly name: string;
  readonly workspace: string;
  readonly inviter: string;
}

/** Runs as the system, like `findByTokenHash`. */
export async function describe(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<DescribedInvitation | undefined> {
  const [row] = await db.system<DescribedInvitation>(
    `select i.email, i.name, w.name as workspace, u.name as inviter
       from invitations i join workspaces w on w.key = i.workspace_id
       join users u on u.id = i.invited_by
      where i.token_hash = $1 and i.expires_at > $2`,
    [tokenHash, now],
  );
  return row;
}

function toInvitation(row: Selectable<Tables["invitations"]>): Invitation {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    roleIds: row.role_ids,
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
