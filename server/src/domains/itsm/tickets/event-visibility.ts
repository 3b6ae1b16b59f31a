/**
 * The visibility of ticket events on topics, for webhooks, triggers and reports. An event is hidden from members who
 * cannot read its ticket, and an internal comment from members who do not work on tickets. Parties of a ticket see
 * the same fields in its events as in the ticket.
 */
import { AuditRead } from "#domains/audit/index.ts";
import { type Viewer as TicketViewer, viewerLookup } from "#domains/identity/roles/index.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import type { Principal } from "#kernel/access/caller.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import {
  type EventVisibility,
  type EventFilter,
  eventVisibilities,
  type VisibilityContext,
} from "#kernel/log/event-visibility.ts";
import { TICKET_KINDS, type TicketIdentity, type TicketKind } from "./kind.ts";
import { eventForParty } from "./askers/party.ts";
import { findTicketIdentities, ticketKinds } from "./ticket.ts";

/** The visibility of events about each kind of ticket. */
export const ticketEventVisibility: readonly EventVisibility[] = TICKET_KINDS.map(
  (resourceType) => ({
    resourceType,
    async filtersFor(position, events) {
      const kind = getKind(position.services, resourceType);
      const [viewerOf, identities] = await Promise.all([
        viewerLookup(position),
        identitiesFor(position, kind, events),
      ]);
      return events.map((event) => filterFor(event, kind, { viewerOf, identities }));
    },
    async visibleSql(position, person, parameters) {
      const kind = getKind(position.services, resourceType);
      const viewer = (await viewerLookup(position))(person);
      const seesAll = !kind.canSee || kind.canSee(viewer);
      if (!seesAll || !holdsPermission(viewer.permissions, kind.read)) return "false";
      if (canSeeInternalComments(kind, viewer)) return "true";
      const type = parameters.add(commentType(kind), "text");
      return `coalesce(e.data ->> 'internal', case when e.type = ${type} then 'true' end, 'false') = 'false'`;
    },
  }),
);

interface FilterContext {
  readonly viewerOf: (person: Principal) => TicketViewer;
  /** The tickets of kinds that are not completely visible. */
  readonly identities: ReadonlyMap<string, TicketIdentity>;
}

function filterFor(
  event: RecordedEvent,
  kind: TicketKind,
  { viewerOf, identities }: FilterContext,
): EventFilter {
  const isComment = event.type === commentType(kind);
  const isInternal = isComment ? event.data["internal"] !== false : event.data["internal"] === true;
  return (person) => {
    // Webhooks and workflows belong to the workspace, and continue after their author leaves.
    if (!person || person.roles.length === 0) return event;
    const viewer = viewerOf(person);
    if (!holdsPermission(viewer.permissions, kind.read)) return undefined;
    if (isInternal && !canSeeInternalComments(kind, viewer)) return undefined;
    if (!kind.canSee || kind.canSee(viewer)) return event;
    return kind.canSee(viewer, identities.get(event.resource.id))
      ? eventForParty(kind, event)
      : undefined;
  };
}

/** True for members who see that an internal comment exists. Its text is not in the log. */
function canSeeInternalComments({ write }: TicketKind, { permissions }: TicketViewer): boolean {
  return permissions.has(write.name) || permissions.has(AuditRead.name);
}

function commentType({ kind }: TicketKind): string {
  return `${kind}.comment_added`;
}

function getKind(services: PlatformServices, name: string): TicketKind {
  const found = ticketKinds(services).find(({ kind }) => kind === name);
  if (!found) throw new Error(`There is no ${name} in this product.`);
  return found;
}

async function identitiesFor(
  { read }: VisibilityContext,
  kind: TicketKind,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, TicketIdentity>> {
  if (!kind.canSee) return new Map();
  const ids = [...new Set(events.map(({ resource }) => resource.id))];
  const identities = await read((tx) => findTicketIdentities(tx, kind, ids));
  return new Map(identities.map((head) => [head.id, head]));
}

/**
 * The visibility of events that reference a ticket in `data.ticket.kind`, such as breaches and pages. They are
 * visible to members who can see the events of that ticket kind.
 */
export function visibilityByTicketKind(resourceType: string): EventVisibility {
  return {
    resourceType,
    async filtersFor(place, events) {
      const byKind = Map.groupBy(events, namedKindOf);
      const lenses = await Promise.all(
        [...byKind].map(async ([kind, own]) => {
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
}

function namedKindOf({ data }: RecordedEvent): string {
  // Events of this type always reference a ticket.
  return (data as { readonly ticket: { readonly kind: string } }).ticket.kind;
}

function findVisibility(services: PlatformServices, kind: string): EventVisibility | undefined {
  return eventVisibilities(services).find(({ resourceType }) => resourceType === kind);
}
