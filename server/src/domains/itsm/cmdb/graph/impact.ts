import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";
import { openTickets, type TicketOnItem } from "../items/open-tickets.ts";
import type { RelationshipType } from "../relationships/relationship.ts";
import { neighboursOf, summariesOf, type Summary } from "./edges.ts";
import { type ReachedItem, traverse } from "./traverse.ts";

type Ticket = Omit<TicketOnItem, "itemId" | "kind">;

interface Tickets {
  readonly incidents: Ticket[];
  readonly changes: Ticket[];
}

interface Impacted extends Summary, Tickets {
  readonly hops: number;
  readonly via: { readonly itemId: string; readonly type: RelationshipType };
}

export interface Impact {
  readonly item: Summary & Tickets;
  readonly impacted: Impacted[];
  readonly counts: {
    readonly items: number;
    readonly byClass: Record<string, number>;
    readonly byHops: Record<string, number>;
    readonly incidents: number;
    readonly changes: number;
  };
  readonly truncated: boolean;
}

/** Of each kind and item; whoever wants them all lists the tickets. */
const TICKETS_SHOWN_MAX = 20;

/** What breaks with an item: all that needs it, and all that needs those, with what is going on there. */
export async function impactOf(
  ctx: ReadContext,
  id: string,
  asked: {
    readonly depth: number;
    readonly limit: number;
    readonly types: readonly string[] | undefined;
  },
): Promise<Impact> {
  const steps = neighboursOf(ctx.tx, { direction: "upstream", types: asked.types });
  // The item itself is no part of what breaks with it.
  const walking = { root: id, depth: asked.depth, nodesMax: asked.limit + 1, stepFrom: steps };
  const { reached, truncated } = await traverse(walking);
  const ids = [...reached.keys()];
  const [summaries, tickets] = await Promise.all([summariesOf(ctx.tx, ids), seenTickets(ctx, ids)]);
  const root = summaries.get(id);
  if (!root) throw new Failure(NotFound);
  const byItem = Map.groupBy(tickets, ({ itemId }) => itemId);
  const impacted = [...reached].flatMap(([itemId, way]) =>
    impactedOf(summaries.get(itemId), way, byItem.get(itemId) ?? []),
  );
  return {
    item: { ...root, ...ticketsOf(byItem.get(id) ?? []) },
    impacted,
    counts: {
      items: impacted.length,
      byClass: tally(impacted.map((one) => one.class)),
      byHops: tally(impacted.map(({ hops }) => String(hops))),
      incidents: countOf(tickets, "incident"),
      changes: countOf(tickets, "change"),
    },
    truncated,
  };
}

/** Nothing of tickets that the caller may not read. */
async function seenTickets(
  ctx: ReadContext,
  ids: readonly string[],
): Promise<readonly TicketOnItem[]> {
  const all = await openTickets(ctx, ids);
  return all.filter(({ kind }) => ctx.caller.permissions.has(`${kind}s:read`));
}

function impactedOf(
  summary: Summary | undefined,
  { hops, by }: ReachedItem,
  tickets: readonly TicketOnItem[],
): Impacted[] {
  if (!summary || !by) return [];
  return [{ ...summary, hops, via: { itemId: by.via, type: by.type }, ...ticketsOf(tickets) }];
}

function ticketsOf(tickets: readonly TicketOnItem[]): Tickets {
  const ofKind = (wanted: string): Ticket[] =>
    tickets
      .filter(({ kind }) => kind === wanted)
      .slice(0, TICKETS_SHOWN_MAX)
      .map(({ id, number, title, state }) => ({ id, number, title, state }));
  return { incidents: ofKind("incident"), changes: ofKind("change") };
}

/** One ticket may be about several of the items. */
function countOf(tickets: readonly TicketOnItem[], wanted: string): number {
  return new Set(tickets.filter(({ kind }) => kind === wanted).map(({ id }) => id)).size;
}

function tally(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries(counts);
}
