/** Who may not hear of a ticket does not hear of its deadlines either: what is told of them is seen as it is. */
import { TICKET_KINDS } from "../tickets/index.ts";
import type { PlatformServices } from "#kernel/access/caller.ts";
import type { EventData, RecordedEvent } from "#kernel/log/event.ts";
import { type EventVisibility, eventVisibilities } from "#kernel/log/event-visibility.ts";
import { SlaBreached } from "./policy.ts";

/** How events of clocks are seen: as those of their tickets. */
export const alertView: EventVisibility = {
  resourceType: SlaBreached.resource,
  async lensesFor(place, events) {
    const byKind = Map.groupBy(events, kindOf);
    const lenses = await Promise.all(
      [...byKind].map(async ([kind, own]) => {
        const found = (await viewOf(place.services, kind)?.lensesFor(place, own)) ?? [];
        return own.map(({ id }, index) => [id, found[index]] as const);
      }),
    );
    const byEvent = new Map(lenses.flat());
    return events.map(({ id }) => byEvent.get(id));
  },
  async wholly(place, person, parameters) {
    const parts = await Promise.all(
      TICKET_KINDS.map(async (kind) => {
        const seen = await viewOf(place.services, kind)?.wholly?.(place, person, parameters);
        const own = parameters.add(kind, "text");
        return `(e.data -> 'ticket' ->> 'kind' = ${own} and (${seen ?? "true"}))`;
      }),
    );
    return parts.join(" or ");
  },
};

function kindOf({ data }: RecordedEvent): string {
  // The event's schema, by which we wrote it.
  return (data as EventData<typeof SlaBreached>).ticket.kind;
}

function viewOf(services: PlatformServices, kind: string): EventVisibility | undefined {
  return eventVisibilities(services).find(({ resourceType }) => resourceType === kind);
}
