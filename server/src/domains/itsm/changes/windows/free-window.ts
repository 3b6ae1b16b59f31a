import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { PLANNED_STATES } from "../lifecycle.ts";
import { findBlackouts } from "./blackout.ts";
import type { Window } from "./window.ts";

const BUSY_MAX = 1_000;
export const FREE_WINDOWS_MAX = 50;

const PLANNED = `
  select distinct c.planned_start as start, c.planned_end as end
    from ticket_items i join changes c on c.id = i.ticket_id
   where i.item_id = any($1::text[]) and i.kind = 'change' and c.state = any($2::text[])
     and c.planned_start < $4 and c.planned_end > $3
   order by 1, 2 limit ${BUSY_MAX + 1}`;

/** Finds free windows with a minimum length for changing these items. */
export async function findFreeWindows(
  tx: Tx,
  within: Window,
  { itemIds, minMs }: { readonly itemIds: readonly string[]; readonly minMs: number },
): Promise<readonly Window[]> {
  const [planned, blackouts] = await Promise.all([
    queryRows(tx, PLANNED, [itemIds, PLANNED_STATES, within.start, within.end]),
    findBlackouts(tx, within, { itemIds, limit: BUSY_MAX + 1 }),
  ]);
  // Columns and fields have the same names. The result ends where the query limit was reached, because later
  // conflicts are unknown.
  const lists = [planned as unknown as Window[], blackouts as readonly Window[]];
  const known = lists.flatMap((busy) => (busy.length > BUSY_MAX ? [busy.at(-1)?.start ?? ""] : []));
  const end = [within.end, ...known].toSorted()[0] ?? within.end;
  return findGaps({ ...within, end }, lists.flat(), minMs).slice(0, FREE_WINDOWS_MAX);
}

/** The gaps between busy windows with the minimum length. */
export function findGaps(within: Window, busy: readonly Window[], minMs: number): Window[] {
  const gaps: Window[] = [];
  let free = within.start;
  for (const { start, end } of busy.toSorted((a, b) => a.start.localeCompare(b.start))) {
    if (start > free) gaps.push({ start: free, end: start < within.end ? start : within.end });
    if (end > free) free = end;
  }
  if (free < within.end) gaps.push({ start: free, end: within.end });
  return gaps.filter(({ start, end }) => Date.parse(end) - Date.parse(start) >= minMs);
}
