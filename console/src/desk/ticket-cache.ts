/** What is shown of a ticket before the server has said yes: in its own page and in every list. */
import { cache, patchCached, type Reply } from "../data/api.ts";
import { getOf, type Kind, type Ticket } from "./ticket-kind.ts";

const LISTS = ["incidents.list"] as const;

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
    ...LISTS.map((list) =>
      patchCached(list, (old: Reply<typeof list>) => {
        if (!Array.isArray(old.data)) return old;
        const data = old.data.map((one) => (one.id === id ? { ...one, ...fields } : one));
        return { ...old, data };
      }),
    ),
  ];
  return () => {
    for (const undo of undos) undo();
  };
}

const FRESH = {
  incident: ["incidents.", "tickets.", "sla."],
  request: ["requests.", "tickets.", "sla."],
  problem: ["problems.", "tickets.", "sla."],
  change: ["changes.", "tickets.", "sla."],
} as const;

/** Reads again whatever is shown of this kind: where the log is not followed, too. */
export function refreshTickets(kind: Kind): void {
  const prefixes = FRESH[kind];
  void cache.invalidateQueries({
    predicate: ({ queryKey: [id] }) => prefixes.some((prefix) => String(id).startsWith(prefix)),
  });
}
