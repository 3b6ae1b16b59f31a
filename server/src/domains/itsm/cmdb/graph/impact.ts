import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { openTickets, type TicketOnItem } from "../items/open-tickets.ts";
import type { RelationshipType } from "../relationships/relationship.ts";
import { neighbourQuery, findSummaries, type ItemSummary } from "./edges.ts";
import { type ReachedItem, traverse } from "./traverse.ts";

type Ticket = Omit<TicketOnItem, "itemId" | "kind">;

interface Tickets {
  readonly incidents: Ticket[];
  readonly changes: Ticket[];
}

interface ImpactedItem extends ItemSummary, Tickets {
  readonly hops: number;
  readonly via: { readonly itemId: string; readonly type: RelationshipType };
}

export interface Impact {
  readonly item: ItemSummary & Tickets;
  readonly impacted: ImpactedItem[];
  readonly counts: {
    readonly items: number;
    readonly byClass: Record<string, number>;
    readonly byHops: Record<string, number>;
    readonly incidents: number;
    readonly changes: number;
  };
  readonly truncated: boolean;
}

/** Limit per kind and item. The ticket list contains all of them. */
const TICKETS_PER_ITEM_MAX = 20;

/** Reads the impact of an item: all direct and indirect dependants, with their open tickets. */
export async function readImpact(
  ctx: ReadContext,
  id: string,
  options: {
    readonly depth: number;
    readonly limit: number;
    readonly types: readonly string[] | undefined;
  },
): Promise<Impact> {
  const stepFrom = neighbourQuery(ctx.tx, { direction: "upstream", types: options.types });
  // The root does not count towards the limit.
  const traversal = { root: id, depth: options.depth, nodesMax: options.limit + 1, stepFrom };
  const { reached, truncated } = await traverse(traversal);
  const ids = [...reached.keys()];
  const [summaries, tickets] = await Promise.all([
    findSummaries(ctx.tx, ids),
    readableTickets(ctx, ids),
  ]);
  const root = summaries.get(id);
  if (!root) throw new Failure(NotFound);
  const byItem = Map.groupBy(tickets, ({ itemId }) => itemId);
  const impacted = [...reached].flatMap(([itemId, way]) =>
    toImpacted(summaries.get(itemId), way, byItem.get(itemId) ?? []),
  );
  return {
    item: { ...root, ...groupTickets(byItem.get(id) ?? []) },
    impacted,
    counts: {
      items: impacted.length,
      byClass: tally(impacted.map((summary) => summary.class)),
      byHops: tally(impacted.map(({ hops }) => String(hops))),
      incidents: countTickets(tickets, "incident"),
      changes: countTickets(tickets, "change"),
    },
    truncated,
  };
}

/** Counts the open incidents and changes of items that the caller can read, by item. */
export async function countTicketsOn(ctx: ReadContext, ids: readonly string[]) {
  const byItem = Map.groupBy(await readableTickets(ctx, ids), ({ itemId }) => itemId);
  return (id: string) => {
    const own = byItem.get(id) ?? [];
    return { incidents: countTickets(own, "incident"), changes: countTickets(own, "change") };
  };
}

/** Finds the open tickets that the caller can read. */
async function readableTickets(
  ctx: ReadContext,
  ids: readonly string[],
): Promise<readonly TicketOnItem[]> {
  const all = await openTickets(ctx, ids);
  return all.filter(({ kind }) => ctx.caller.permissions.has(`${kind}s:read`));
}

function toImpacted(
  summary: ItemSummary | undefined,
  { hops, by }: ReachedItem,
  tickets: readonly TicketOnItem[],
): ImpactedItem[] {
  if (!summary || !by) return [];
  return [{ ...summary, hops, via: { itemId: by.via, type: by.type }, ...groupTickets(tickets) }];
}

function groupTickets(tickets: readonly TicketOnItem[]): Tickets {
  const ofKind = (ticketKind: string): Ticket[] =>
    tickets
      .filter(({ kind }) => kind === ticketKind)
      .slice(0, TICKETS_PER_ITEM_MAX)
      .map(({ id, number, title, state }) => ({ id, number, title, state }));
  return { incidents: ofKind("incident"), changes: ofKind("change") };
}

/** Counts each ticket once, even if it has several items. */
function countTickets(tickets: readonly TicketOnItem[], ticketKind: string): number {
  return new Set(tickets.filter(({ kind }) => kind === ticketKind).map(({ id }) => id)).size;
}

function tally(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries(counts);
}
