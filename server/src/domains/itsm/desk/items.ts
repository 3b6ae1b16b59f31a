import type { Tx } from "#kernel/db/connection.ts";
import { rowsOf } from "#kernel/db/statement.ts";
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

/** The tickets of one kind that are about some of these items. */
export async function ticketsOnItems(
  tx: Tx,
  kind: TicketKindName,
  itemIds: readonly string[],
): Promise<readonly { readonly ticketId: string; readonly itemId: string }[]> {
  if (itemIds.length === 0) return [];
  const text = `
    select ticket_id as "ticketId", item_id as "itemId" from ticket_items
     where item_id = any($1::text[]) and kind = $2`;
  return (await rowsOf(tx, text, [itemIds, kind])) as unknown as readonly {
    readonly ticketId: string;
    readonly itemId: string;
  }[];
}
