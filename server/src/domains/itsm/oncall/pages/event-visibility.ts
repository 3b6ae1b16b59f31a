import type { PlatformServices } from "#kernel/contract.ts";
import type { EventData, RecordedEvent } from "#kernel/log/event.ts";
import { type EventVisibility, eventVisibilities } from "#kernel/log/event-visibility.ts";
import { TICKET_KINDS } from "../../tickets/index.ts";
import { PageSent } from "./page.ts";

/** Pages are visible to those who see all tickets of the kind: they name a ticket, and who was woken. */
export const pageVisibility: EventVisibility = {
  resourceType: PageSent.resource,
  async filtersFor(place, events) {
    const byKind = Map.groupBy(events, ticketKindOf);
    const lenses = await Promise.all(
      [...byKind].map(async ([kind, own]) => {
        // Those who see only their own get nothing of an event that is no ticket's.
        const found = (await findVisibility(place.services, kind)?.filtersFor(place, own)) ?? [];
        return own.map(({ id }, index) => [id, found[index]] as const);
      }),
    );
    const byEvent = new Map(lenses.flat());
    return events.map(({ id }) => byEvent.get(id));
  },
  async visibleSql(place, person, parameters) {
    const parts = await Promise.all(
      TICKET_KINDS.map(async (kind) => {
        const view = findVisibility(place.services, kind);
        const seen = await view?.visibleSql?.(place, person, parameters);
        const own = parameters.add(kind, "text");
        return `(e.data -> 'ticket' ->> 'kind' = ${own} and (${seen ?? "true"}))`;
      }),
    );
    return parts.join(" or ");
  },
};

function ticketKindOf({ data }: RecordedEvent): string {
  // Written by this event's schema.
  return (data as EventData<typeof PageSent>).ticket.kind;
}

function findVisibility(services: PlatformServices, kind: string): EventVisibility | undefined {
  return eventVisibilities(services).find(({ resourceType }) => resourceType === kind);
}
