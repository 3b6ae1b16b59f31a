import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";

export interface MessageKey {
  readonly topic: string;
  readonly key: string;
}

/**
 * Takes the key, or says that somebody has it. Whoever asks while another's transaction holds it
 * waits for that one to end, on whichever node it runs.
 */
export async function takeKey(
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

/** Says which message a key that was taken stands for. */
export async function nameMessage(
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

/** The message that has the key. */
export async function messageOf(tx: Tx, { topic, key }: MessageKey): Promise<string> {
  const { message_id } = await tx
    .selectFrom("message_keys")
    .select("message_id")
    .where("topic", "=", topic)
    .where("key", "=", key)
    .executeTakeFirstOrThrow();
  return message_id;
}

export interface Tally {
  readonly topic: string;
  readonly events: number;
  readonly lastEventAt: string;
}

/** Adds what a batch of the log holds, topic by topic, in one statement. */
export async function addCounts(tx: Tx, tallies: readonly Tally[]): Promise<void> {
  await sql`
    insert into topic_counts as c (topic, events, last_event_at)
    select * from unnest(${tallies.map(({ topic }) => topic)}::text[],
                         ${tallies.map(({ events }) => events)}::bigint[],
                         ${tallies.map(({ lastEventAt }) => lastEventAt)}::timestamptz[])
    on conflict (workspace_id, environment, topic) do update
       set events = c.events + excluded.events,
           last_event_at = greatest(c.last_event_at, excluded.last_event_at)`.execute(tx);
}

/** For the system, which tidies up in all workspaces at once; a key that was taken anew meanwhile stays. */
export const DELETE_EXPIRED_KEYS = `
  delete from message_keys
   where expires_at <= $1
     and ctid = any(array(select ctid from message_keys where expires_at <= $1
                           order by expires_at limit $2))`;
export const DELETE_EMPTY_TOPICS = `
  delete from topic_counts
   where events = 0 and ctid = any(array(select ctid from topic_counts where events = 0 limit $1))`;
