import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import type { StoredMailbox } from "../mailbox.ts";
import { mailboxes } from "../mailbox-resource.ts";

const FIND = `
  select m.id from mailboxes m
   where m.enabled
   order by m.id = (select b.mailbox_id from mails b where b.ticket_id = $1 order by b.id limit 1) desc nulls last,
            m.team_id = $2 desc nulls last, m.id
   limit 1`;

/** Finds the mailbox for replies: the receiving mailbox, the team's, or the oldest. */
export async function findTicketMailbox(
  tx: Tx,
  ticket: { readonly id: string; readonly teamId: string | null },
): Promise<StoredMailbox | undefined> {
  const [row] = await queryRows(tx, FIND, [ticket.id, ticket.teamId]);
  return row && mailboxes.store.get(tx, String(row["id"]));
}

/** True if a mailbox for replies exists. */
export async function hasMailbox(tx: Tx): Promise<boolean> {
  return (await queryRows(tx, "select from mailboxes where enabled limit 1", [])).length > 0;
}
