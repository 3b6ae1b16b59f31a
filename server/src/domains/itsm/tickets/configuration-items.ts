import type { Tx } from "#kernel/db/connection.ts";
import type { TicketKindName } from "./kind.ts";

/** Makes these the configuration items that a ticket is about. */
export async function setItems(
  tx: Tx,
  ticket: { readonly kind: TicketKindName; readonly id: string },
  itemIds: readonly string[],
): Promise<void> {
  await tx.deleteFrom("ticket_items").where("ticket_id", "=", ticket.id).execute();
  if (itemIds.length === 0) return;
  const rows = itemIds.map((item_id) => ({ kind: ticket.kind, ticket_id: ticket.id, item_id }));
  await tx.insertInto("ticket_items").values(rows).execute();
}

/** For the select list of a ticket's table: the ids of its items, in their order. */
export function itemIdsSql(table: string): string {
  return (
    "array(select i.item_id from ticket_items i where i.ticket_id = " +
    `${table}.id order by i.item_id)`
  );
}
