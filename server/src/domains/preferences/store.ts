import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { type Preference, PREFERENCES_MAX } from "./preference.ts";

/** The preferences of a user in the transaction's workspace, by key. */
export async function list(tx: Tx, userId: string): Promise<Preference[]> {
  const rows = await select(tx, userId).orderBy("key").limit(PREFERENCES_MAX).execute();
  return rows.map(toPreference);
}

export async function find(tx: Tx, userId: string, key: string): Promise<Preference | undefined> {
  const row = await select(tx, userId).where("key", "=", key).executeTakeFirst();
  return row && toPreference(row);
}

/** A preference, locked until the transaction ends. */
export async function lock(tx: Tx, userId: string, key: string): Promise<Preference | undefined> {
  const row = await select(tx, userId).where("key", "=", key).forUpdate().executeTakeFirst();
  return row && toPreference(row);
}

/** Sets a preference. Undefined if the user has reached the limit. */
export async function upsert(
  tx: Tx,
  { userId, key, value, now }: { userId: string; key: string; value: unknown; now: Date },
): Promise<Preference | undefined> {
  // Serialised per user, because concurrent requests could exceed the limit together.
  await sql`select pg_advisory_xact_lock(
    hashtextextended('preferences of ' || ${userId} || current_setting('millrace.workspace'), 0))`.execute(
    tx,
  );
  const { rows } = await sql<Row>`
    insert into preferences (user_id, key, value, updated_at)
    select ${userId}, ${key}, ${JSON.stringify(value)}::jsonb, ${now}
     where (select count(*) from preferences where user_id = ${userId} and key <> ${key}) < ${PREFERENCES_MAX}
    on conflict (workspace_id, user_id, key) do update
      set value = excluded.value, updated_at = excluded.updated_at, revision = preferences.revision + 1
    returning key, value, revision, updated_at`.execute(tx);
  const [row] = rows;
  return row && toPreference(row);
}

export async function remove(tx: Tx, userId: string, key: string): Promise<void> {
  await tx.deleteFrom("preferences").where("user_id", "=", userId).where("key", "=", key).execute();
}

function select(tx: Tx, userId: string) {
  return tx
    .selectFrom("preferences")
    .select(["key", "value", "revision", "updated_at"])
    .where("user_id", "=", userId);
}

interface Row {
  readonly key: string;
  readonly value: unknown;
  readonly revision: number;
  readonly updated_at: Date | string;
}

function toPreference({ key, value, revision, updated_at }: Row): Preference {
  return { key, value, revision, updatedAt: new Date(updated_at).toISOString() };
}
