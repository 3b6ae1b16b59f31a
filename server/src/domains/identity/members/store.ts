import type { Tx } from "#kernel/db/connection.ts";

/** Deletes the member's API tokens in this workspace. */
export async function deleteTokens(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom("api_tokens").where("user_id", "=", userId).execute();
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
