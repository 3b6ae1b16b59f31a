/** The search parameters of the event explorer: filters and the open event. */
import type { Input } from "../data/api.ts";

const NAMES = [
  "topic",
  "type",
  "actor",
  "kind",
  "thing",
  "chain",
  "from",
  "to",
  "q",
  "open",
] as const;

/** `kind` is the type of a resource, `thing` its id, `chain` a correlation id. */
export type EventsSearch = { readonly [Name in (typeof NAMES)[number]]?: string | undefined };

export function readEventsSearch(search: Readonly<Record<string, unknown>>): EventsSearch {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = search[name];
      if (typeof value === "number") return [[name, String(value)]];
      return typeof value === "string" && value !== "" ? [[name, value]] : [];
    }),
  );
}

export type EventsQuery = NonNullable<NonNullable<Input<"events.recent">>["query"]>;

/** Returns the query of a search; times in the address are local, like their fields. */
export function toEventsQuery(search: EventsSearch): EventsQuery {
  const { topic, type, actor, kind, thing, chain, from, to, q } = search;
  return {
    ...(topic !== undefined && { topic }),
    ...(type !== undefined && { type }),
    ...(actor !== undefined && { actorId: actor }),
    ...(kind !== undefined && { resourceType: kind }),
    ...(thing !== undefined && { resourceId: thing }),
    ...(chain !== undefined && { correlationId: chain }),
    ...(isTime(from) && { from: new Date(from).toISOString() }),
    ...(isTime(to) && { to: new Date(to).toISOString() }),
    ...(q !== undefined && { q }),
  };
}

export function countFilters({ open: _, ...rest }: EventsSearch): number {
  return Object.values(rest).filter((value) => value !== undefined).length;
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text));
}
