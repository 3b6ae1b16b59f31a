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
import { type Onlooker, TICKET_KINDS, type TicketIdentity, type TicketKind } from "./kind.ts";
import { ticketIdentities, ticketKinds } from "./ticket.ts";

/** How events about each kind of ticket are seen. */
export const ticketViews: readonly EventVisibility[] = TICKET_KINDS.map((resourceType) => ({
  resourceType,
  async lensesFor(place, events) {
    const kind = kindNamed(place.services, resourceType);
    const [onlooker, heads] = await Promise.all([
      onlookersOf(place),
      headsFor(place, kind, events),
    ]);
    return events.map((event) => lensOn(event, kind, { onlooker, heads }));
  },
  async wholly(place, person, parameters) {
    const kind = kindNamed(place.services, resourceType);
    const who = (await onlookersOf(place))(person);
    if (!who.permissions.has(kind.read.name) || (kind.sees && !kind.sees(who))) return "false";
    if (hearsInternal(kind, who)) return "true";
    const type = parameters.add(commentType(kind), "text");
    return `e.type <> ${type} or e.data ->> 'internal' = 'false'`;
  },
}));

interface Sight {
  readonly onlooker: (person: Principal) => Onlooker;
  /** Of kinds of which not everyone sees all. */
  readonly heads: ReadonlyMap<string, TicketIdentity>;
}

function lensOn(event: RecordedEvent, kind: TicketKind, { onlooker, heads }: Sight): EventFilter {
  const isInternal = event.type === commentType(kind) && event.data["internal"] !== false;
  return (person) => {
    // A webhook or a workflow is the workspace's, and goes on when whoever made it has left.
    if (!person || person.roles.length === 0) return event;
    const who = onlooker(person);
    if (!who.permissions.has(kind.read.name)) return undefined;
    if (isInternal && !hearsInternal(kind, who)) return undefined;
    return !kind.sees || kind.sees(who, heads.get(event.resource.id)) ? event : undefined;
  };
}

/** That there is one: the text is not in the log. */
function hearsInternal({ write }: TicketKind, { permissions }: Onlooker): boolean {
  return permissions.has(write.name) || permissions.has(AuditRead.name);
}

function commentType({ kind }: TicketKind): string {
  return `${kind}.comment_added`;
}

function kindNamed(services: PlatformServices, name: string): TicketKind {
  const found = ticketKinds(services).find(({ kind }) => kind === name);
  if (!found) throw new Error(`There is no ${name} in this product.`);
  return found;
}

async function headsFor(
  { read }: FilterPosition,
  kind: TicketKind,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, TicketIdentity>> {
  if (!kind.sees) return new Map();
  const ids = [...new Set(events.map(({ resource }) => resource.id))];
  const heads = await read((tx) => ticketIdentities(tx, kind, ids));
  return new Map(heads.map((head) => [head.id, head]));
}

/** People with what they may do, by their roles as those are now. */
async function onlookersOf(place: FilterPosition): Promise<(person: Principal) => Onlooker> {
  const { services } = place;
  const grants = await grantsIn(place);
  const known = new Map<string, Onlooker>();
  return (person) => {
    let who = known.get(person.id);
    if (!who) {
      const granted = person.roles.flatMap((role) => grants.get(role) ?? []);
      const permissions = resolvePermissions(person.roles, granted, services.permissions);
      known.set(person.id, (who = { principal: person, permissions }));
    }
    return who;
  };
}

type Grants = ReadonlyMap<string, readonly string[]>;

const WORKSPACES_MAX = 1_000;
const caches = new WeakMap<PlatformServices["commitFeed"], Map<string, Promise<Grants>>>();

/** What the custom roles of a workspace grant. Every batch of events asks, so it is kept until one changes. */
function grantsIn({ services, partition: { workspace }, read }: FilterPosition): Promise<Grants> {
  let cache = caches.get(services.commitFeed);
  if (!cache) {
    const kept = new Map<string, Promise<Grants>>();
    services.commitFeed.subscribe(["audit"], (notice) => {
      if (notice.type.startsWith("audit.role.")) kept.delete(notice.workspace);
    });
    caches.set(services.commitFeed, (cache = kept));
  }
  const known = cache.get(workspace);
  if (known) return known;
  if (cache.size >= WORKSPACES_MAX) cache.clear();
  const grants = read(readRoleGrants);
  cache.set(workspace, grants);
  grants.catch(() => cache.delete(workspace));
  return grants;
}
