import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { MEMORIES_MAX, type Memory, type MemoryMessage, type MemorySummary } from "./memory.ts";

const SUMMARY = sql.raw(
  `id, key, message_count as "messageCount", created_at as "createdAt", updated_at as "updatedAt"`,
);

/** The memories of an environment, oldest first, after one. */
export async function listMemories(
  tx: Tx,
  { after, limit, key }: { readonly after: string; readonly limit: number; readonly key?: string },
): Promise<MemorySummary[]> {
  const { rows } = await sql<MemorySummary>`
    select ${SUMMARY}, revision from agent_memories
     where id > ${after} and (${key ?? null}::text is null or key = ${key ?? null})
     order by id limit ${limit}`.execute(tx);
  return rows;
}

export async function findMemory(tx: Tx, id: string): Promise<Memory | undefined> {
  const { rows } = await sql<Memory>`
    select ${SUMMARY}, messages, revision from agent_memories where id = ${id} for no key update`.execute(
    tx,
  );
  return rows[0];
}

export async function readMemory(
  tx: Tx,
  by: { readonly id: string } | { readonly key: string },
): Promise<Memory | undefined> {
  const where = "id" in by ? sql`id = ${by.id}` : sql`key = ${by.key}`;
  const { rows } = await sql<Memory>`
    select ${SUMMARY}, messages, revision from agent_memories where ${where}`.execute(tx);
  return rows[0];
}

/** Adds messages at the end, and keeps the last; undefined when there are too many memories. */
export async function appendMessages(
  tx: Tx,
  input: {
    readonly id: string;
    readonly key: string;
    readonly messages: readonly MemoryMessage[];
    readonly keep: number;
    readonly now: Date;
  },
): Promise<Memory | undefined> {
  const { id, key, messages, keep, now } = input;
  const added = JSON.stringify(messages);
  const { rows } = await sql<Memory>`
    insert into agent_memories as m (id, key, messages, message_count, created_at, updated_at)
    select ${id}::text, ${key}::text, ${added}::jsonb, ${messages.length}::integer, ${now}::timestamptz, ${now}::timestamptz
     where exists (select 1 from agent_memories where key = ${key})
        or (select count(*) from (select 1 from agent_memories limit ${MEMORIES_MAX}) counted) < ${MEMORIES_MAX}
    on conflict (workspace_id, environment, key) do update
       set messages = (select coalesce(jsonb_agg(one.message order by one.place), '[]'::jsonb)
                         from (select message, place from jsonb_array_elements(m.messages || excluded.messages)
                                      with ordinality as listed (message, place)
                                order by place desc limit ${keep}) one),
           message_count = least(m.message_count + excluded.message_count, ${keep}::integer),
           revision = m.revision + 1, updated_at = excluded.updated_at
    returning ${SUMMARY}, messages, revision`.execute(tx);
  return rows[0];
}

export async function deleteMemory(tx: Tx, id: string): Promise<void> {
  await sql`delete from agent_memories where id = ${id}`.execute(tx);
}
