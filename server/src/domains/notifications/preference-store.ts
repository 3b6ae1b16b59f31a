import type { Tx } from "#kernel/db/connection.ts";
import { DEFAULT_PREFERENCES, type Preferences } from "./notification.ts";

const COLUMNS = ["email", "revision"] as const;

export async function get(tx: Tx, userId: string): Promise<Preferences> {
  const row = await byUser(tx, userId).executeTakeFirst();
  return row ?? DEFAULT_PREFERENCES;
}

/** Locks the row until the transaction ends; creates it where there is none. */
export async function lock(tx: Tx, userId: string, now: Date): Promise<Preferences> {
  await tx
    .insertInto("notification_preferences")
    .values({ user_id: userId, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return byUser(tx, userId).forUpdate().executeTakeFirstOrThrow();
}

export async function update(
  tx: Tx,
  userId: string,
  change: { readonly email: boolean; readonly updated_at: Date },
): Promise<Preferences> {
  return tx
    .updateTable("notification_preferences")
    .set(change)
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("user_id", "=", userId)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Finds those of these members who want no e-mail. */
export async function findEmailOptOuts(tx: Tx, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom("notification_preferences")
    .select("user_id")
    .where((row) => row("user_id", "=", row.fn.any(row.val([...userIds]))))
    .where("email", "=", false)
    .execute();
  return new Set(rows.map((row) => row.user_id));
}

function byUser(tx: Tx, userId: string) {
  return tx.selectFrom("notification_preferences").select(COLUMNS).where("user_id", "=", userId);
}
