/** What is shown of a ticket before the server has said yes: in its own page and in every list. */
import { cache, patchCached } from "../data/api.ts";
import { getOf, type Kind, type Ticket } from "./ticket-kind.ts";

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
  const before = cache.getQueriesData<QueuePages>({ queryKey: ["tickets.list"] });
  const change = (old: QueuePages | undefined): QueuePages | undefined => {
    if (!Array.isArray(old?.pages)) return old;
    const pages = old.pages.map((page: QueuePages["pages"][number]) => ({
      ...page,
      data: page.data.map((one) => (one.id === id ? { ...one, ...fields } : one)),
    }));
    return { ...old, pages };
  };
  for (const [key] of before) cache.setQueryData<QueuePages>(key, change);
  return () => {
    for (const [key, data] of before) cache.setQueryData(key, data);
  };
}

const FRESH = {
  incident: ["incidents.", "tickets.", "views.", "sla."],
  request: ["requests.", "tickets.", "views.", "sla."],
  problem: ["problems.", "tickets.", "views.", "sla."],
  change: ["changes.", "tickets.", "views.", "sla."],
} as const;

/** Reads again whatever is shown of this kind: where the log is not followed, too. */
export function refreshTickets(kind: Kind): void {
  const prefixes = FRESH[kind];
  void cache.invalidateQueries({
    predicate: ({ queryKey: [id] }) => prefixes.some((prefix) => String(id).startsWith(prefix)),
  });
}
