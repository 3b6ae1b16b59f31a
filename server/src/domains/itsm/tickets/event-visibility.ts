/**
 * The visibility of events about tickets on topics, to webhooks, triggers and reports: an event is hidden
 * from those who may not read its ticket, an internal comment from those who do not work on tickets.
 */
import { resolvePermissions } from "#domains/identity/accounts/index.ts";
import { AuditRead } from "#domains/audit/index.ts";
import { readRoleGrants } from "#domains/identity/roles/index.ts";
import type { Principal } from "#kernel/access/caller.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type {
  EventVisibility,
  EventFilter,
  VisibilityContext,
} from "#kernel/log/event-visibility.ts";
import { type TicketViewer, TICKET_KINDS, type TicketIdentity, type TicketKind } from "./kind.ts";
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
      if (!viewer.permissions.has(kind.read.name) || (kind.canSee && !kind.canSee(viewer)))
        return "false";
      if (canSeeInternalComments(kind, viewer)) return "true";
      const type = parameters.add(commentType(kind), "text");
      return `coalesce(e.data ->> 'internal', case when e.type = ${type} then 'true' end, 'false') = 'false'`;
    },
  }),
);

interface FilterContext {
  readonly viewerOf: (person: Principal) => TicketViewer;
  /** The tickets of kinds that are not visible as a whole. */
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
    // A webhook or a workflow belongs to the workspace, and goes on when its author has left.
    if (!person || person.roles.length === 0) return event;
    const viewer = viewerOf(person);
    if (!viewer.permissions.has(kind.read.name)) return undefined;
    if (isInternal && !canSeeInternalComments(kind, viewer)) return undefined;
    return !kind.canSee || kind.canSee(viewer, identities.get(event.resource.id))
      ? event
      : undefined;
  };
}

/** True of those who see that there is an internal comment; its text is not in the log. */
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

/** Reads the roles as they are now, to resolve people to their permissions. */
async function viewerLookup(
  position: VisibilityContext,
): Promise<(person: Principal) => TicketViewer> {
  const { services } = position;
  const grants = await cachedRoleGrants(position);
  const viewers = new Map<string, TicketViewer>();
  return (person) => {
    let viewer = viewers.get(person.id);
    if (!viewer) {
      const granted = person.roles.flatMap((role) => grants.get(role) ?? []);
      const permissions = resolvePermissions(person.roles, granted, services.permissions);
      viewers.set(person.id, (viewer = { principal: person, permissions }));
    }
    return viewer;
  };
}

type RoleGrants = ReadonlyMap<string, readonly string[]>;

const WORKSPACES_MAX = 1_000;
const grantCaches = new WeakMap<PlatformServices["commitFeed"], Map<string, Promise<RoleGrants>>>();

/** Reads the grants of a workspace's custom roles; cached until one changes, since every batch of events needs them. */
function cachedRoleGrants({
  services,
  partition: { workspace },
  read,
}: VisibilityContext): Promise<RoleGrants> {
  let cache = grantCaches.get(services.commitFeed);
  if (!cache) {
    const entries = new Map<string, Promise<RoleGrants>>();
    services.commitFeed.subscribe(["audit"], (notice) => {
      if (notice.type.startsWith("audit.role.")) entries.delete(notice.workspace);
    });
    grantCaches.set(services.commitFeed, (cache = entries));
  }
  const viewers = cache.get(workspace);
  if (viewers) return viewers;
  if (cache.size >= WORKSPACES_MAX) cache.clear();
  const grants = read(readRoleGrants);
  cache.set(workspace, grants);
  grants.catch(() => cache.delete(workspace));
  return grants;
}
