import type { Tx } from "#kernel/db/connection.ts";
import { DEFAULTS, type Preferences } from "./notification.ts";

const SHOWN = ["email", "revision"] as const;

export async function get(tx: Tx, userId: string): Promise<Preferences> {
  const row = await byUser(tx, userId).executeTakeFirst();
  return row ?? DEFAULTS;
}

/** Makes the row where there is none, so that there is something to lock. */
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
    .returning(SHOWN)
    .executeTakeFirstOrThrow();
}

/** Those of these members who want no e-mail. */
export async function withoutEmail(tx: Tx, userIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .selectFrom("notification_preferences")
    .select("user_id")
    .where((row) => row("user_id", "=", row.fn.any(row.val([...userIds]))))
    .where("email", "=", false)
    .execute();
  return new Set(rows.map((row) => row.user_id));
}

function byUser(tx: Tx, userId: string) {
  return tx.selectFrom("notification_preferences").select(SHOWN).where("user_id", "=", userId);
}
