/** What is shown of a ticket before the server has said yes: in its own page and in every list. */
import { invalidate, patchCached, patchQueries } from "../data/api.ts";
import { isLive } from "../data/live/live.ts";
import { getOf, type Kind, type Ticket, timelineOf } from "./ticket-kind.ts";

/** Shows these fields of a ticket at once; the returned function takes them back. */
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

/** The rows of the queue, whatever its view. */
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
 * Reads a ticket again after an act on it. Lists, counts and clocks follow with the event, when those who read the log
 * have seen it, too; where the log is not followed, all is read at once.
 */
export function refreshTickets(kind: Kind): void {
  invalidate(isLive() ? [getOf(kind), timelineOf(kind)] : FRESH[kind]);
}
