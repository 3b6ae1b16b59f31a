/** Duplicates: tickets that were merged into others, which may have been merged again. */
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";

/** Longer chains are not followed. */
const CHAIN_MAX = 20;
/** So many duplicates of one ticket are looked at. */
const DUPLICATES_MAX = 200;

/** SQL for the ids of a ticket and of all that was merged into it, given that of its id. */
export function mergedTicketsSql(ticketId: string): string {
  return `
    with recursive merged (id, depth) as (
      select (${ticketId}::text collate "C"), 0
      union all
      select m.source_id, d.depth + 1 from ticket_merges m
        join merged d on m.target_id = d.id where d.depth < ${CHAIN_MAX})
    select id from merged limit ${DUPLICATES_MAX + 1}`;
}

/** Finds the ids of the tickets that were merged into one, directly or into a duplicate of it. */
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

/** Finds the ticket that a duplicate was merged into, at the end of the chain; of any other ticket, itself. */
export async function findSurvivorId(tx: Tx, ticketId: string): Promise<string> {
  const [row] = await queryRows(tx, SURVIVOR, [ticketId]);
  return row ? String(row["id"]) : ticketId;
}
