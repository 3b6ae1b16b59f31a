/** Duplicates: merged tickets. Their targets can be merged again. */
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";

/** Longer chains are not followed. */
const CHAIN_MAX = 20;
/** Maximum number of duplicates read per ticket. */
const DUPLICATES_MAX = 200;

/** SQL for the ids of a ticket and of all tickets merged into it, given SQL for its id. */
export function mergedTicketsSql(ticketId: string): string {
  return `
    with recursive merged (id, depth) as (
      select (${ticketId}::text collate "C"), 0
      union all
      select m.source_id, d.depth + 1 from ticket_merges m
        join merged d on m.target_id = d.id where d.depth < ${CHAIN_MAX})
    select id from merged limit ${DUPLICATES_MAX + 1}`;
}

/** Finds the ids of tickets merged into a ticket, directly or through a duplicate. */
export async function findDuplicateIds(tx: Tx, ticketId: string): Promise<readonly string[]> {
  const rows = await queryRows(tx, mergedTicketsSql("$1"), [ticketId]);
  return rows.map(({ id }) => String(id)).filter((id) => id !== ticketId);
}

const SURVIVOR = `
  with recursive chain (id, depth) as (
    select ($1::text collate "C"), 0
    union all
    select m.target_id, c.depth + 1 from ticket_merges m
      join chain c on m.source_id = c.id where c.depth < ${CHAIN_MAX})
  select id from chain order by depth desc limit 1`;

/** Finds the remaining ticket of a chain of merges. For an unmerged ticket, the ticket itself. */
export async function findSurvivorId(tx: Tx, ticketId: string): Promise<string> {
  const [row] = await queryRows(tx, SURVIVOR, [ticketId]);
  return row ? String(row["id"]) : ticketId;
}
