import type { ReadContext } from "#kernel/contract.ts";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import { type ListCondition, listPage } from "#kernel/list/list.ts";
import { orderBySql, parseSort } from "#kernel/list/order.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { CountedPage } from "#kernel/operation/response.ts";
import { expandItems } from "./expand.ts";
import {
  filterCondition,
  isByAge,
  ofKinds,
  readableKinds,
  ticketList,
  withOwnFields,
} from "./list.ts";
import {
  foundCondition,
  type QueueQuery,
  resolveSelection,
  type Selection,
  selection,
} from "./queue-query.ts";
import { ITEM_COLUMNS, type TicketItem, toTicketItem } from "./ticket-item.ts";

export async function readQueuePage(
  ctx: ReadContext,
  query: QueueQuery,
): Promise<CountedPage<TicketItem>> {
  const { expand, q, filter, ...rest } = query;
  const asked = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !Object.hasOwn(selection, name)),
  ) as Omit<QueueQuery, keyof typeof selection | "expand" | "q" | "filter">;
  const { kinds, conditions, sort, isNarrowed } = await resolveSelection(ctx, rest);
  const found = q === undefined ? [] : [await foundCondition(ctx, kinds, q)];
  const byAge = isByAge(asked.sort ?? sort) && found.length === 0 && !isNarrowed;
  const list = await withOwnFields(ctx.tx, kinds, asked.sort ?? sort);
  const page = await listPage(ctx, { ...list, order: sort }, asked, {
    conditions: [
      ...conditions,
      ...found,
      ...(filter === undefined ? [] : [filterCondition(filter, { byAge })]),
    ],
    toItem: toTicketItem,
  });
  return { ...page, data: await expandItems(ctx, page.data, expand) };
}

/** Reads a ticket of any kind by id or number. Throws 404 if the caller cannot see it. */
export async function readTicketItem(
  ctx: ReadContext,
  ref: string,
  expand?: string,
): Promise<TicketItem> {
  const column = ref.includes("_") ? "id" : "number";
  const found = await findItems(ctx, (parameters) => `${column} = ${parameters.add(ref, "text")}`);
  const [item] = await expandItems(ctx, found, expand);
  if (!item) throw new Failure(NotFound);
  return item;
}

/** Reads the tickets visible to the caller. */
export async function readTicketItems(
  ctx: ReadContext,
  ids: readonly string[],
  expand?: string,
): Promise<readonly TicketItem[]> {
  const found = await findItems(ctx, (parameters) => `id = any (${parameters.add(ids, "text[]")})`);
  return expandItems(ctx, found, expand);
}

async function findItems(ctx: ReadContext, condition: ListCondition): Promise<TicketItem[]> {
  const parameters = new SqlParameters();
  const where = [condition, ofKinds(readableKinds(ctx))].map((one) => `(${one(parameters)})`);
  const text = `select ${ITEM_COLUMNS} from tickets where ${where.join(" and ")}`;
  return (await queryRows(ctx.tx, text, parameters.values)).map(toTicketItem);
}

/** The ids of the first tickets of a selection, in order. */
export async function findTicketIds(
  ctx: ReadContext,
  selected: Selection,
  { filter, limit, order }: TicketSearch,
): Promise<readonly string[]> {
  const { conditions, sort } = await resolveSelection(ctx, selected);
  const parameters = new SqlParameters();
  const all = [...conditions, ...(filter ? [filterCondition(filter)] : [])];
  const where = all.map((condition) => `(${condition(parameters)})`).join(" and ");
  const text = `select id from tickets where ${where} order by ${parseTicketSort(order ?? sort)} limit ${limit}`;
  return (await queryRows(ctx.tx, text, parameters.values)).map(({ id }) => String(id));
}

interface TicketSearch {
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  readonly limit: number;
  /** Replaces the order of the selection. */
  readonly order?: string;
}

/** Converts a ticket sort order to SQL. */
export function parseTicketSort(sort: string): string {
  const keys = parseSort(sort, ticketList.tieBreaker, (name) => {
    const field = Object.hasOwn(ticketList.fields, name) ? ticketList.fields[name] : undefined;
    return field && { type: "text", nullable: false, ...field };
  });
  return orderBySql(keys);
}
