/**
 * The visibility of events. Most events are visible to all users with access to the log. For some resource
 * types, the domain that emits the events declares a filter per user.
 */
import type { Caller, Principal } from "../access/caller.ts";
import type { PlatformServices } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import type { Partition } from "../db/database.ts";
import type { SqlParameters } from "../db/statement.ts";
import type { RecordedEvent } from "./event.ts";
import { readEventsAt } from "./event-log.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";

/** The event as visible to a user. Undefined if it is hidden. Without a user, the platform itself is the reader. */
export type EventFilter = (principal: Principal | undefined) => RecordedEvent | undefined;

/** The context for filtering events of one partition. */
export interface VisibilityContext {
  readonly services: PlatformServices;
  readonly partition: Partition;
  /** Runs reads in the partition, for filters that need data. */
  readonly read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** True in a dry run, whose reads must not be cached. */
  readonly isDryRun?: true;
}

/** The visibility of events about one resource type. */
export interface EventVisibility {
  readonly resourceType: string;
  /** One filter per event. Undefined if all users see the event unchanged. */
  readonly filtersFor: (
    context: VisibilityContext,
    events: readonly RecordedEvent[],
  ) => Promise<readonly (EventFilter | undefined)[]>;
  /**
   * SQL that is true for events (`e`, a row of the log) that a user sees completely. Default: false for all.
   * For reports, which count events and cannot filter each.
   */
  readonly visibleSql?: (
    context: VisibilityContext,
    principal: Principal,
    parameters: SqlParameters,
  ) => Promise<string>;
}

/** Domains declare the visibility of their events here. */
export const EventVisibilityPoint = extensionPoint<EventVisibility>("kernel.event_views");

/** Filters by event id, for events that are not visible unchanged to all users. */
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

/** Filters events for a user. Hidden events are omitted. */
export async function filterEvents(
  context: VisibilityContext,
  principal: Principal | undefined,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const filters = await eventFiltersFor(context, events);
  if (filters.size === 0) return events;
  return events.flatMap((event) => applyFilter(filters, event, principal) ?? []);
}

/** The maximum number of complete events in memory at a time. */
const WHOLE_EVENTS_MAX = 100;

/**
 * Filters events that were read without their data. Data required by filters is loaded in batches; the returned
 * events have none.
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

/** Filters one event for a user. */
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
  // Conditions must not reveal data that the user cannot read.
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

/** The context of a call in its transaction. */
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

/** Contributions never change while the process runs. */
const cache = new WeakMap<PlatformServices["contributions"], readonly EventVisibility[]>();

/** The visibility rules contributed by domains. */
export function eventVisibilities({
  contributions,
}: Pick<PlatformServices, "contributions">): readonly EventVisibility[] {
  let views = cache.get(contributions);
  if (!views)
    cache.set(contributions, (views = contributionsTo(EventVisibilityPoint, contributions)));
  return views;
}
