import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import { listPage } from "#kernel/list/list.ts";
import { orderBySql, parseSort } from "#kernel/list/order.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { CountedPage } from "#kernel/operation/response.ts";
import { expandItems } from "./expand.ts";
import { readableKinds, ticketList, ofKinds } from "./list.ts";
import { foundCondition, type QueueQuery, resolveSelection, selection } from "./queue-query.ts";
import { ITEM_COLUMNS, type TicketItem, toTicketItem } from "./ticket-item.ts";

/** Reads one page of the queue. */
export async function readQueuePage(
  ctx: ReadContext,
  query: QueueQuery,
): Promise<CountedPage<TicketItem>> {
  const { expand, q, ...rest } = query;
  const asked = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !Object.hasOwn(selection, name)),
  ) as Omit<QueueQuery, keyof typeof selection | "expand" | "q">;
  const { kinds, conditions, sort } = await resolveSelection(ctx, rest);
  const found = q === undefined ? [] : [await foundCondition(ctx, kinds, q)];
  const page = await listPage(ctx, { ...ticketList, order: sort }, asked, {
    conditions: [...conditions, ...found],
    toItem: toTicketItem,
  });
  return { ...page, data: await expandItems(ctx, page.data, expand) };
}

/** Reads a ticket of any kind by its id or number; throws a 404 where the caller sees none. */
export async function readItem(
  ctx: ReadContext,
  ref: string,
  expand?: string,
): Promise<TicketItem> {
  const parameters = new SqlParameters();
  const column = ref.includes("_") ? "id" : "number";
  const isIt = `${column} = ${parameters.add(ref, "text")}`;
  const isVisible = ofKinds(readableKinds(ctx))(parameters);
  const text = `select ${ITEM_COLUMNS} from tickets where ${isIt} and (${isVisible})`;
  const [row] = await queryRows(ctx.tx, text, parameters.values);
  if (!row) throw new Failure(NotFound);
  const [item] = await expandItems(ctx, [toTicketItem(row)], expand);
  if (!item) throw new Failure(NotFound);
  return item;
}

/** An order of tickets in SQL. */
export function parseTicketSort(sort: string): string {
  const keys = parseSort(sort, ticketList.tieBreaker, (name) => {
    const field = Object.hasOwn(ticketList.fields, name) ? ticketList.fields[name] : undefined;
    return field && { type: "text", nullable: false, ...field };
  });
  return orderBySql(keys);
}
