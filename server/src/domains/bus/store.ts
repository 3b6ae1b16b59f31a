import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Partition } from "#kernel/db/partition.ts";

export interface MessageKey {
  readonly topic: string;
  readonly key: string;
}

/**
 * Claims a deduplication key. Returns false if it is taken. Waits for a concurrent transaction that claims it, on any
 * node.
 */
export async function claimKey(
  tx: Tx,
  { topic, key }: MessageKey,
  times: { readonly now: Date; readonly expiresAt: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into message_keys as k (topic, key, message_id, expires_at)
    values (${topic}, ${key}, '', ${times.expiresAt})
    on conflict (workspace_id, environment, topic, key) do update
       set message_id = excluded.message_id, expires_at = excluded.expires_at
     where k.expires_at <= ${times.now}
    returning key`.execute(tx);
  return rows.length > 0;
}

/** Sets the message of a claimed key. */
export async function setMessageId(
  tx: Tx,
  { topic, key }: MessageKey,
  messageId: string,
): Promise<void> {
  await tx
    .updateTable("message_keys")
    .set({ message_id: messageId })
    .where("topic", "=", topic)
    .where("key", "=", key)
    .execute();
}

/** Gets the id of the message with the key. */
export async function getMessageId(tx: Tx, { topic, key }: MessageKey): Promise<string> {
  const { message_id } = await tx
    .selectFrom("message_keys")
    .select("message_id")
    .where("topic", "=", topic)
    .where("key", "=", key)
    .executeTakeFirstOrThrow();
  return message_id;
}

export interface TopicCount extends Partition {
  readonly topic: string;
  readonly events: number;
  readonly lastEventAt: string;
}

/** Adds the counts of a batch for all its workspaces in one statement. */
export async function addCounts(tx: Tx, counts: readonly TopicCount[]): Promise<void> {
  await sql`
    select count_topics(${counts.map(({ workspace }) => workspace)}::uuid[],
                        ${counts.map(({ environment }) => environment)}::text[],
                        ${counts.map(({ topic }) => topic)}::text[],
                        ${counts.map(({ events }) => events)}::bigint[],
                        ${counts.map(({ lastEventAt }) => lastEventAt)}::timestamptz[])`.execute(
    tx,
  );
}

/** Runs as the system role across all workspaces. A key that was claimed again is kept. */
export const DELETE_EXPIRED_KEYS = `
  delete from message_keys
   where expires_at <= $1
     and ctid = any(array(select ctid from message_keys where expires_at <= $1
                           order by expires_at limit $2))`;
export const DELETE_EMPTY_TOPICS = `
  delete from topic_counts
   where events = 0 and ctid = any(array(select ctid from topic_counts where events = 0 limit $1))`;
