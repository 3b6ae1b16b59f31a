/**
 * The visibility of events. Most events are visible as they are to everyone who may read the log. Those about
 * some resources are not: the domain that emits them declares a filter for each person.
 */
import type { Caller, Principal } from "../access/caller.ts";
import type { PlatformServices } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import type { Partition } from "../db/database.ts";
import type { SqlParameters } from "../db/statement.ts";
import type { RecordedEvent } from "./event.ts";
import { readEventsAt } from "./event-log.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";

/** The event as a person sees it; undefined when it is hidden. Without a person, the platform itself. */
export type EventFilter = (principal: Principal | undefined) => RecordedEvent | undefined;

/** The context in which events are filtered: all are of this partition. */
export interface VisibilityContext {
  readonly services: PlatformServices;
  readonly partition: Partition;
  /** Reads in the partition, where something must be looked up first. */
  readonly read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** True in a transaction that is rolled back: what is read there is kept by no cache. */
  readonly isDryRun?: true;
}

/** The visibility of events about one type of resource. */
export interface EventVisibility {
  readonly resourceType: string;
  /** One filter for each event; undefined for those that everyone sees as they are. */
  readonly filtersFor: (
    context: VisibilityContext,
    events: readonly RecordedEvent[],
  ) => Promise<readonly (EventFilter | undefined)[]>;
  /**
   * SQL that is true for those of them (`e`, a row of the log) that a person sees whole; false for all when
   * absent. For reports, which count events and can't filter each.
   */
  readonly visibleSql?: (
    context: VisibilityContext,
    principal: Principal,
    parameters: SqlParameters,
  ) => Promise<string>;
}

/** Where domains declare the visibility of their events. */
export const EventVisibilityPoint = extensionPoint<EventVisibility>("kernel.event_views");

/** The filters of those events, by their ids, that not everyone sees as they are. */
export async function eventFiltersFor(
  context: VisibilityContext,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, EventFilter>> {
  const filters = new Map<string, EventFilter>();
  const all = events.flatMap((event) => [event, ...(event.whole ? [event.whole.event] : [])]);
  for (const view of eventVisibilities(context.services)) {
    const concerned = all.filter(({ resource }) => resource.type === view.resourceType);
    if (concerned.length === 0) continue;
    const found = await view.filtersFor(context, concerned);
    for (const [index, { id }] of concerned.entries()) {
      const filter = found[index];
      if (filter) filters.set(id, filter);
    }
  }
  return filters;
}

/** Filters events for a person; hidden ones are left out. */
export async function filterEvents(
  context: VisibilityContext,
  principal: Principal | undefined,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const filters = await eventFiltersFor(context, events);
  if (filters.size === 0) return events;
  return events.flatMap((event) => applyFilter(filters, event, principal) ?? []);
}

/** So many are whole in memory at a time. */
const WHOLE_EVENTS_MAX = 100;

/**
 * Filters events that were read without their data. Filters need that of some, which is read for them, a part at a
 * time; what is returned has none.
 */
export async function filterLightEvents(
  context: VisibilityContext,
  principal: Principal | undefined,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const types = new Set(eventVisibilities(context.services).map((view) => view.resourceType));
  const concerned = events.filter(({ resource }) => types.has(resource.type));
  const visible = new Map<string, RecordedEvent>();
  for (let start = 0; start < concerned.length; start += WHOLE_EVENTS_MAX) {
    const part = concerned.slice(start, start + WHOLE_EVENTS_MAX);
    const positions = part.map(({ position }) => position);
    const whole = await context.read((tx) => readEventsAt(tx, positions));
    for (const event of await filterEvents(context, principal, whole)) {
      visible.set(event.id, { ...event, data: {} });
    }
  }
  return events.flatMap((event) =>
    types.has(event.resource.type) ? (visible.get(event.id) ?? []) : [event],
  );
}

/** Filters one event for a person. */
export async function filterEvent(
  context: VisibilityContext,
  principal: Principal | undefined,
  event: RecordedEvent,
): Promise<RecordedEvent | undefined> {
  return applyFilter(await eventFiltersFor(context, [event]), event, principal);
}

/** Applies the filters of a batch to one of its events. */
export function applyFilter(
  filters: ReadonlyMap<string, EventFilter>,
  event: RecordedEvent,
  principal: Principal | undefined,
): RecordedEvent | undefined {
  const visible = filterOne(filters, event, principal);
  if (!visible || !event.whole) return visible;
  // Nobody learns by a condition what they may not read.
  const { whole: _, ...bare } = visible;
  const whole = filterOne(filters, event.whole.event, principal);
  return whole ? { ...bare, whole: { ...event.whole, event: whole } } : bare;
}

function filterOne(
  filters: ReadonlyMap<string, EventFilter>,
  event: RecordedEvent,
  principal: Principal | undefined,
): RecordedEvent | undefined {
  const filter = filters.get(event.id);
  return filter ? filter(principal) : event;
}

/** The context of a call, within its transaction. */
export function visibilityContext(ctx: {
  readonly tx: Tx;
  readonly services: PlatformServices;
  readonly caller: Caller;
}): VisibilityContext {
  const { tx, services, caller } = ctx;
  if (!caller.workspace) throw new Error("Events are seen within a workspace.");
  const partition = { workspace: caller.workspace.key, environment: caller.environment };
  const { isDryRun } = caller;
  return { services, partition, read: (work) => work(tx), ...(isDryRun && { isDryRun }) };
}

/** Contributions never change while a process lives. */
const cache = new WeakMap<PlatformServices["contributions"], readonly EventVisibility[]>();

/** The visibilities that domains contribute. */
export function eventVisibilities({
  contributions,
}: Pick<PlatformServices, "contributions">): readonly EventVisibility[] {
  let views = cache.get(contributions);
  if (!views)
    cache.set(contributions, (views = contributionsTo(EventVisibilityPoint, contributions)));
  return views;
}
