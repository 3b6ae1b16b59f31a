/**
 * Events about tickets, as people see them on topics, by webhooks, triggers and reports: whoever may not
 * read a ticket does not hear of it either, and an internal comment is for those who work on tickets.
 */
import { resolvePermissions } from "#domains/identity/accounts/index.ts";
import { AuditRead } from "#domains/audit/index.ts";
import { readRoleGrants } from "#domains/identity/roles/index.ts";
import type { Principal } from "#kernel/access/caller.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import type { EventVisibility, EventFilter, FilterPosition } from "#kernel/log/event-visibility.ts";
import { type TicketViewer, TICKET_KINDS, type TicketIdentity, type TicketKind } from "./kind.ts";
import { findTicketIdentities, ticketKinds } from "./ticket.ts";

/** How events about each kind of ticket are seen. */
export const ticketEventVisibility: readonly EventVisibility[] = TICKET_KINDS.map(
  (resourceType) => ({
    resourceType,
    async lensesFor(position, events) {
      const kind = getKind(position.services, resourceType);
      const [viewerOf, identities] = await Promise.all([
        viewerLookup(position),
        identitiesFor(position, kind, events),
      ]);
      return events.map((event) => filterFor(event, kind, { viewerOf, identities }));
    },
    async wholly(position, person, parameters) {
      const kind = getKind(position.services, resourceType);
      const viewer = (await viewerLookup(position))(person);
      if (!viewer.permissions.has(kind.read.name) || (kind.canSee && !kind.canSee(viewer)))
        return "false";
      if (canSeeInternalComments(kind, viewer)) return "true";
      const type = parameters.add(commentType(kind), "text");
      return `e.type <> ${type} or e.data ->> 'internal' = 'false'`;
    },
  }),
);

interface FilterContext {
  readonly viewerOf: (person: Principal) => TicketViewer;
  /** Of kinds of which not everyone sees all. */
  readonly identities: ReadonlyMap<string, TicketIdentity>;
}

function filterFor(
  event: RecordedEvent,
  kind: TicketKind,
  { viewerOf, identities }: FilterContext,
): EventFilter {
  const isInternal = event.type === commentType(kind) && event.data["internal"] !== false;
  return (person) => {
    // A webhook or a workflow is the workspace's, and goes on when whoever made it has left.
    if (!person || person.roles.length === 0) return event;
    const viewer = viewerOf(person);
    if (!viewer.permissions.has(kind.read.name)) return undefined;
    if (isInternal && !canSeeInternalComments(kind, viewer)) return undefined;
    return !kind.canSee || kind.canSee(viewer, identities.get(event.resource.id))
      ? event
      : undefined;
  };
}

/** That there is one: the text is not in the log. */
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
  { read }: FilterPosition,
  kind: TicketKind,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, TicketIdentity>> {
  if (!kind.canSee) return new Map();
  const ids = [...new Set(events.map(({ resource }) => resource.id))];
  const identities = await read((tx) => findTicketIdentities(tx, kind, ids));
  return new Map(identities.map((head) => [head.id, head]));
}

/** People with what they may do, by their roles as those are now. */
async function viewerLookup(
  position: FilterPosition,
): Promise<(person: Principal) => TicketViewer> {
  const { services } = position;
  const grants = await cachedRoleGrants(position);
  const known = new Map<string, TicketViewer>();
  return (person) => {
    let viewer = known.get(person.id);
    if (!viewer) {
      const granted = person.roles.flatMap((role) => grants.get(role) ?? []);
      const permissions = resolvePermissions(person.roles, granted, services.permissions);
      known.set(person.id, (viewer = { principal: person, permissions }));
    }
    return viewer;
  };
}

type RoleGrants = ReadonlyMap<string, readonly string[]>;

const WORKSPACES_MAX = 1_000;
const grantCaches = new WeakMap<PlatformServices["commitFeed"], Map<string, Promise<RoleGrants>>>();

/** What the custom roles of a workspace grant. Every batch of events asks, so it is kept until one changes. */
function cachedRoleGrants({
  services,
  partition: { workspace },
  read,
}: FilterPosition): Promise<RoleGrants> {
  let cache = grantCaches.get(services.commitFeed);
  if (!cache) {
    const entries = new Map<string, Promise<RoleGrants>>();
    services.commitFeed.subscribe(["audit"], (notice) => {
      if (notice.type.startsWith("audit.role.")) entries.delete(notice.workspace);
    });
    grantCaches.set(services.commitFeed, (cache = entries));
  }
  const known = cache.get(workspace);
  if (known) return known;
  if (cache.size >= WORKSPACES_MAX) cache.clear();
  const grants = read(readRoleGrants);
  cache.set(workspace, grants);
  grants.catch(() => cache.delete(workspace));
  return grants;
}
