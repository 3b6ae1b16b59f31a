import type { Tx } from "#kernel/db/connection.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";
import type { ReadContext } from "#kernel/contract.ts";

/** An unfinished ticket about an item. */
export interface TicketOnItem {
  readonly itemId: string;
  /** The kind of ticket, such as `incident`. */
  readonly kind: string;
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly state: string;
}

/** Extension point: finds the open tickets of one kind about items. */
export const TicketsOnItemsPoint =
  extensionPoint<(tx: Tx, itemIds: readonly string[]) => Promise<readonly TicketOnItem[]>>(
    "itsm.tickets_on_items",
  );

/** Finds all open tickets about some items. */
export async function openTickets(
  { tx, services }: Pick<ReadContext, "tx" | "services">,
  itemIds: readonly string[],
): Promise<readonly TicketOnItem[]> {
  if (itemIds.length === 0) return [];
  const finders = contributionsTo(TicketsOnItemsPoint, services.contributions);
  return (await Promise.all(finders.map((find) => find(tx, itemIds)))).flat();
}
