import type { Tx } from "#kernel/db/connection.ts";
import type { Database } from "#kernel/db/database.ts";

/** Stores the link's token in place of an older one. */
export async function putReset(
  tx: Tx,
  reset: { userId: string; tokenHash: Buffer; now: Date; expires: Date },
): Promise<void> {
  const { userId, tokenHash, now, expires } = reset;
  const values = { token_hash: tokenHash, created_at: now, expires_at: expires };
  await tx
    .insertInto("password_resets")
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}

export interface ResetUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Finds the account of a link. Runs as the system, because the caller is not authenticated yet. */
export async function findReset(
  db: Database,
  tokenHash: Buffer,
  now: Date,
): Promise<ResetUser | undefined> {
  const [row] = await db.system<ResetUser>(
    `select u.id, u.name, u.email from password_resets r join users u on u.id = r.user_id
      where r.token_hash = $1 and r.expires_at > $2 and u.status = 'active'`,
    [tokenHash, now],
  );
  return row;
}

/** Deletes the token of a link; false if it was already used. */
export async function consumeReset(tx: Tx, tokenHash: Buffer): Promise<boolean> {
  const deleted = await tx
    .deleteFrom("password_resets")
    .where("token_hash", "=", tokenHash)
    .returning("user_id")
    .executeTakeFirst();
  return deleted !== undefined;
}

export async function deleteResets(tx: Tx, userId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("password_resets")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
