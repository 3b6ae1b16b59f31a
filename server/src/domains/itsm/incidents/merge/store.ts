import type { WriteContext } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";

/** A duplicate and its target incident. */
export interface Merge {
  readonly id: string;
  readonly sourceId: string;
  readonly targetId: string;
  /** The link between them. */
  readonly linkId: string;
  readonly stateBefore: string;
  /** The watchers that the merge added to the target. */
  readonly watcherIds: readonly string[];
  readonly createdBy: string;
}

/** Records a merge, and the link between both. */
export async function insertMerge(ctx: WriteContext<never>, merge: Merge): Promise<void> {
  const { id, linkId, sourceId, targetId, createdBy } = merge;
  await ctx.send(
    `insert into ticket_links (id, type, from_kind, from_id, to_kind, to_id, created_by, created_at)
     values ($1, 'duplicates', 'incident', $2, 'incident', $3, $4, $5)
     on conflict on constraint ticket_links_once do nothing`,
    [linkId, sourceId, targetId, createdBy, ctx.now],
  );
  await ctx.send(
    `insert into ticket_merges (id, source_id, target_id, link_id, state_before, comment_ids, attachment_ids,
       watcher_ids, created_by, created_at)
     values ($1, $2, $3, $4, $5, '{}', '{}', $6, $7, $8)`,
    [id, sourceId, targetId, linkId, merge.stateBefore, merge.watcherIds, createdBy, ctx.now],
  );
}

export interface FoundMerge extends Merge {
  readonly createdAt: string;
}

export async function findMerges(
  tx: Tx,
  sourceIds: readonly string[],
): Promise<readonly FoundMerge[]> {
  const rows = await tx
    .selectFrom("ticket_merges")
    .selectAll()
    .where("source_id", "in", sourceIds)
    .execute();
  return rows.map(toMerge);
}

export async function findMerge(tx: Tx, sourceId: string): Promise<FoundMerge | undefined> {
  const [merge] = await findMerges(tx, [sourceId]);
  return merge;
}

/** Deletes a merge and its link. Undefined if it was already deleted. */
export async function deleteMerge(tx: Tx, id: string): Promise<FoundMerge | undefined> {
  const row = await tx
    .deleteFrom("ticket_merges")
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  await tx.deleteFrom("ticket_links").where("id", "=", row.link_id).execute();
  return toMerge(row);
}

export async function removeWatchers(
  tx: Tx,
  ticketId: string,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return;
  await tx
    .deleteFrom("ticket_watchers")
    .where("ticket_id", "=", ticketId)
    .where("user_id", "in", userIds)
    .execute();
}

interface MergeRow {
  readonly id: string;
  readonly source_id: string;
  readonly target_id: string;
  readonly link_id: string;
  readonly state_before: string;
  readonly watcher_ids: string[];
  readonly created_by: string;
  readonly created_at: string;
}

function toMerge(row: MergeRow): FoundMerge {
  return {
    id: row.id,
    sourceId: row.source_id,
    targetId: row.target_id,
    linkId: row.link_id,
    stateBefore: row.state_before,
    watcherIds: row.watcher_ids,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
