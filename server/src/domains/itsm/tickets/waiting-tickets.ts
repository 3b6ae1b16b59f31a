import type { Permission } from "#kernel/access/permission.ts";
import type { WaitingWork } from "#kernel/contributions/waiting-work.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { TicketKind } from "./kind.ts";

const COUNTED_MAX = 1_000;

/** Counts tickets by a condition with `$1`, the caller's id. */
export async function countTickets(
  tx: Tx,
  table: string,
  where: string,
  userId: string,
): Promise<number> {
  const text = `select count(*)::int as n from (select from ${table} t where ${where} limit ${COUNTED_MAX}) t`;
  const [row] = await queryRows(tx, text, [userId]);
  return Number(row?.["n"] ?? 0);
}

/** The tickets of a kind assigned to a member, limited by `openSql`. */
export function assignedTickets(
  { plural, table }: Pick<TicketKind, "plural" | "table">,
  permission: Permission,
  openSql: string,
): WaitingWork {
  const where = `t.assignee_id = $1 and ${openSql}`;
  return {
    kind: plural,
    permission,
    count: ({ tx }, userId) => countTickets(tx, table, where, userId),
  };
}
