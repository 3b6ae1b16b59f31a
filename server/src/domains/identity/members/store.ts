import type { Insertable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";
import type { Tables } from "../../../tables.ts";

/** A new invitation takes the place of an older one to the same address. */
export async function putInvitation(tx: Tx, row: Insertable<Tables["invitations"]>): Promise<void> {
  await tx.deleteFrom("invitations").where("email", "=", row.email).execute();
  await tx.insertInto("invitations").values(row).execute();
}

export interface InvitationRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly email: string;
  readonly name: string;
  readonly role_ids: readonly string[];
}

/** Before any workspace is known, so as the system. */
export async function findInvitation(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<InvitationRow | undefined> {
  const [row] = await db.system<InvitationRow>(
    `select id, workspace_id, email, name, role_ids from invitations
      where token_hash = $1 and expires_at > $2`,
    [tokenHash, now],
  );
  return row;
}

/** True for whoever takes it first. */
export async function takeInvitation(tx: Tx, id: string): Promise<boolean> {
  const taken = await tx
    .deleteFrom("invitations")
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return taken !== undefined;
}

/** Whatever a person could use in this workspace ends with their membership. */
export async function endTokens(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("api_tokens").where("user_id", "=", userId).execute();
}

export async function endSessions(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("sessions").where("user_id", "=", userId).execute();
}

export async function isMember(tx: Tx, email: string): Promise<boolean> {
  const row = await tx
    .selectFrom("memberships")
    .innerJoin("users", "users.id", "memberships.user_id")
    .select("users.id")
    .where("users.email", "=", email)
    .executeTakeFirst();
  return row !== undefined;
}
