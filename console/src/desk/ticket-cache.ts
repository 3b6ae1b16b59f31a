/** Updates a ticket optimistically, on the page and in lists. */
import { invalidate, patchCached, patchQueries } from "../data/api.ts";
import { isLive } from "../data/live/live.ts";
import { getOf, type Kind, type Ticket, timelineOf } from "./ticket-kind.ts";

/** Updates fields of a ticket in the cache; the returned function reverts this. */
export function showFields(
  ticket: Pick<Ticket, "kind" | "id">,
  fields: Readonly<Record<string, unknown>>,
): () => void {
  const { kind, id } = ticket;
  type One = { readonly data: { readonly id: string } };
  const undos = [
    patchCached(getOf(kind), (old) => {
      const { data } = old as One;
      return (data.id === id ? { ...old, data: { ...data, ...fields } } : old) as typeof old;
    }),
    showInQueue(id, fields),
  ];
  return () => {
    for (const undo of undos) undo();
  };
}

interface QueuePages {
  readonly pages: readonly { readonly data: readonly { readonly id: string }[] }[];
}

/** Updates the rows of the queue in all views. */
function showInQueue(id: string, fields: Readonly<Record<string, unknown>>): () => void {
  return patchQueries<QueuePages>({ queryKey: ["tickets.list"] }, (old) => {
    if (!Array.isArray(old.pages)) return old;
    const pages = old.pages.map((page: QueuePages["pages"][number]) => ({
      ...page,
      data: page.data.map((one) => (one.id === id ? { ...one, ...fields } : one)),
    }));
    return { ...old, pages };
  });
}

const FRESH = {
  incident: ["incidents.", "tickets.", "views.", "sla."],
  request: ["requests.", "tickets.", "views.", "sla."],
  problem: ["problems.", "tickets.", "views.", "sla."],
  change: ["changes.", "tickets.", "views.", "sla."],
} as const;

/**
 * Reloads a ticket after an action on it. Lists, counts and SLA clocks reload with the event, when consumers of the
 * log have processed it; without an event stream, everything reloads immediately.
 */
export function refreshTickets(kind: Kind): void {
  invalidate(isLive() ? [getOf(kind), timelineOf(kind)] : FRESH[kind]);
}
