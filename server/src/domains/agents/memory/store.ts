import { sql } from "kysely";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { deleteAcrossWorkspaces, retentionJob } from "#kernel/work/retention-job.ts";
import {
  MEMORIES_MAX,
  MEMORIES_OF_WORKFLOW_MAX,
  MEMORY_CHARACTERS_MAX,
  type Memory,
  type MemoryMessage,
  type MemorySummary,
  UNUSED_DAYS,
} from "./memory.ts";

const SUMMARY = sql.raw(
  `id, key, message_count as "messageCount", created_at as "createdAt", updated_at as "updatedAt"`,
);

/** The memories of an environment, oldest first, after a position. */
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

/** The latest messages that fit into one memory. */
export function fitMessages(messages: readonly MemoryMessage[]): readonly MemoryMessage[] {
  let characters = 0;
  const from = messages.findLastIndex(({ content }) => {
    characters += content.length;
    return characters > MEMORY_CHARACTERS_MAX;
  });
  return messages.slice(from + 1);
}

/** Appends messages, and keeps the latest; undefined if there are too many memories. */
export async function appendMessages(
  tx: Tx,
  input: {
    readonly id: string;
    readonly key: string;
    readonly messages: readonly MemoryMessage[];
    readonly keep: number;
    readonly workflowId: string | null;
    readonly now: Date;
  },
): Promise<Memory | undefined> {
  const { id, key, messages, keep, workflowId, now } = input;
  const added = JSON.stringify(messages);
  const { rows } = await sql<Memory>`
    insert into agent_memories as m (id, key, messages, message_count, workflow_id, created_at, updated_at)
    select ${id}::text, ${key}::text, ${added}::jsonb, ${messages.length}::integer, ${workflowId}::text,
           ${now}::timestamptz, ${now}::timestamptz
     where exists (select 1 from agent_memories where key = ${key})
        or (select count(*) from (select 1 from agent_memories limit ${MEMORIES_MAX}) counted) < ${MEMORIES_MAX}
    on conflict (workspace_id, environment, key) do update
       set (messages, message_count) = (
             select coalesce(jsonb_agg(one.message order by one.place), '[]'::jsonb), count(*)::integer
               from (select message, place, sum(length(message ->> 'content')) over (order by place desc) as characters
                       from jsonb_array_elements(m.messages || excluded.messages)
                            with ordinality as listed (message, place)
                      order by place desc limit ${keep}) one
              where one.characters <= ${MEMORY_CHARACTERS_MAX}),
           revision = m.revision + 1, updated_at = excluded.updated_at
    returning ${SUMMARY}, messages, revision`.execute(tx);
  return rows[0];
}

export async function deleteMemory(tx: Tx, id: string): Promise<void> {
  await sql`delete from agent_memories where id = ${id}`.execute(tx);
}

const DAY_MS = 24 * 3_600_000;
const UNUSED = `
  delete from agent_memories where id = any (array(
    select id from agent_memories where updated_at < $1 order by updated_at limit $2))`;

/**
 * Half of the limit is reserved for memories that were used more than once, so that many one-time visitors cannot
 * displace them.
 */
const SURPLUS = `
  delete from agent_memories where id = any (array(
    select id from (
      select id, row_number() over (
               partition by workspace_id, environment, workflow_id
                   order by rank > ${MEMORIES_OF_WORKFLOW_MAX / 2}, updated_at desc) as place
        from (select id, workspace_id, environment, workflow_id, updated_at, row_number() over (
                          partition by workspace_id, environment, workflow_id, revision > 1
                              order by updated_at desc) as rank
                from agent_memories where workflow_id is not null) ranked) one
     where place > ${MEMORIES_OF_WORKFLOW_MAX} limit $1))`;

/** Deletes memories unused for a long time, and the least recently used ones of a workflow with too many. */
export const memoryRetentionJob = retentionJob({
  kind: "agents.prune_memories",
  everyMs: 600_000,
  async remove({ db, clock }: Platform, rowsMax) {
    const before = new Date(clock.nowMs() - UNUSED_DAYS * DAY_MS);
    const unused = await deleteAcrossWorkspaces(db, UNUSED, [before, rowsMax]);
    return unused + (await deleteAcrossWorkspaces(db, SURPLUS, [rowsMax - unused]));
  },
});
