import type { Insertable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { type Database, NO_WORKSPACE } from "#kernel/db/database.ts";
import type { Tables } from "../../../tables.ts";
import type { Credential } from "./factor.ts";

export type Purpose = "register" | "assert";

export interface Challenge {
  readonly challenge_hash: Buffer;
  readonly user_id: string;
  readonly purpose: Purpose;
  readonly expires_at: Date;
}

export async function insertChallenge(tx: Tx, challenge: Challenge): Promise<void> {
  await tx.insertInto("webauthn_challenges").values(challenge).execute();
}

/** Inserts a challenge in a separate transaction, for a login that has none yet. */
export async function saveChallenge(db: Database, challenge: Challenge): Promise<void> {
  await db.write({ workspace: NO_WORKSPACE, environment: "production" }, ({ tx }) =>
    insertChallenge(tx, challenge),
  );
}

export interface ChallengeRef {
  readonly hash: Buffer;
  readonly userId: string;
  readonly purpose: Purpose;
}

export async function isChallengeOpen(
  db: Database,
  challenge: ChallengeRef,
  now: Date,
): Promise<boolean> {
  const rows = await db.system(
    `select from webauthn_challenges
      where challenge_hash = $1 and user_id = $2 and purpose = $3 and expires_at > $4`,
    [challenge.hash, challenge.userId, challenge.purpose, now],
  );
  return rows.length > 0;
}

/** Deletes the challenge; false if it was already consumed or has expired. */
export async function consumeChallenge(
  tx: Tx,
  challenge: ChallengeRef,
  now: Date,
): Promise<boolean> {
  const rows = await tx
    .deleteFrom("webauthn_challenges")
    .where("challenge_hash", "=", challenge.hash)
    .where("user_id", "=", challenge.userId)
    .where("purpose", "=", challenge.purpose)
    .where("expires_at", ">", now.toISOString())
    .returning("user_id")
    .execute();
  return rows.length > 0;
}

export interface StoredKey {
  readonly id: string;
  readonly credential_id: string;
  readonly public_key: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

const KEYS = `
  select id, credential_id, public_key, counter, transports
    from webauthn_credentials where user_id = $1 order by id`;

export function findKeys(db: Database, userId: string): Promise<StoredKey[]> {
  return db.system<StoredKey & Record<string, unknown>>(KEYS, [userId]);
}

/** Updates the counter; false when it did not increase, which means a cloned authenticator. */
export async function recordKeyUse(
  tx: Tx,
  key: { readonly id: string; readonly counter: number; readonly now: Date },
): Promise<boolean> {
  const rows = await tx
    .updateTable("webauthn_credentials")
    .set({ counter: key.counter, last_used_at: key.now })
    .where("id", "=", key.id)
    .where((row) =>
      // Authenticators without a counter always report 0.
      key.counter === 0 ? row("counter", "=", 0) : row("counter", "<", key.counter),
    )
    .returning("id")
    .execute();
  return rows.length > 0;
}

export async function insertKey(
  tx: Tx,
  row: Insertable<Tables["webauthn_credentials"]>,
): Promise<Credential> {
  return toCredential(
    await tx
      .insertInto("webauthn_credentials")
      .values(row)
      .returning(CREDENTIAL_COLUMNS)
      .executeTakeFirstOrThrow(),
  );
}

export async function deleteKey(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("webauthn_credentials").where("id", "=", id).execute();
}

export async function listKeys(
  tx: Tx,
  userId: string,
  page: { readonly after: string; readonly limit: number },
): Promise<Credential[]> {
  const rows = await tx
    .selectFrom("webauthn_credentials")
    .select(CREDENTIAL_COLUMNS)
    .where("user_id", "=", userId)
    .where("id", ">", page.after)
    .orderBy("id")
    .limit(page.limit)
    .execute();
  return rows.map(toCredential);
}

export async function getKey(tx: Tx, userId: string, id: string): Promise<Credential | undefined> {
  const row = await tx
    .selectFrom("webauthn_credentials")
    .select(CREDENTIAL_COLUMNS)
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toCredential(row);
}

const CREDENTIAL_COLUMNS = ["id", "name", "created_at", "last_used_at"] as const;

function toCredential(row: {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}): Credential {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
