/**
 * Who sees what of an event. Most events are seen as they are by whoever may read the log. What some
 * are about is not for everyone: the domain that tells them says how each person sees them.
 */
import type { Caller, Principal } from "../access/caller.ts";
import type { PlatformServices } from "../contract.ts";
import type { Tx } from "../db/connection.ts";
import type { Partition } from "../db/database.ts";
import type { SqlParameters } from "../db/statement.ts";
import type { RecordedEvent } from "./event.ts";
import { contributionsTo, extensionPoint } from "../extension-point.ts";

/** An event as a person sees it; undefined when they do not. Nobody is the platform itself. */
export type EventFilter = (person: Principal | undefined) => RecordedEvent | undefined;

/** Where events are looked at: all are of this partition. */
export interface FilterPosition {
  readonly services: PlatformServices;
  readonly partition: Partition;
  /** Reads there, where something must be looked up first. */
  readonly read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
}

/** How events about one kind of thing are seen. */
export interface EventVisibility {
  readonly resourceType: string;
  /** One for each event; undefined for those that everyone sees as they are. */
  readonly lensesFor: (
    place: FilterPosition,
    events: readonly RecordedEvent[],
  ) => Promise<readonly (EventFilter | undefined)[]>;
  /**
   * What holds, in SQL, for those of them (`e`, a row of the log) that a person sees as they are; none
   * when absent. For who counts events, and can't look at each.
   */
  readonly wholly?: (
    place: FilterPosition,
    person: Principal,
    parameters: SqlParameters,
  ) => Promise<string>;
}

/** Where domains say how their events are seen. */
export const EventVisibilityPoint = extensionPoint<EventVisibility>("kernel.event_views");

/** The lenses of those events, by their ids, that not everyone sees as they are. */
export async function eventFiltersFor(
  place: FilterPosition,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, EventFilter>> {
  const lenses = new Map<string, EventFilter>();
  for (const view of eventVisibilities(place.services)) {
    const concerned = events.filter(({ resource }) => resource.type === view.resourceType);
    if (concerned.length === 0) continue;
    const found = await view.lensesFor(place, concerned);
    for (const [index, { id }] of concerned.entries()) {
      const lens = found[index];
      if (lens) lenses.set(id, lens);
    }
  }
  return lenses;
}

/** What a person sees of some events, in their order; what they do not see is left out. */
export async function filterEvents(
  place: FilterPosition,
  person: Principal | undefined,
  events: readonly RecordedEvent[],
): Promise<readonly RecordedEvent[]> {
  const lenses = await eventFiltersFor(place, events);
  if (lenses.size === 0) return events;
  return events.flatMap((event) => applyFilter(lenses, event, person) ?? []);
}

/** The same of one event. */
export async function filterEvent(
  place: FilterPosition,
  person: Principal | undefined,
  event: RecordedEvent,
): Promise<RecordedEvent | undefined> {
  return applyFilter(await eventFiltersFor(place, [event]), event, person);
}

/** An event as a person sees it, given the lenses of its batch. */
export function applyFilter(
  lenses: ReadonlyMap<string, EventFilter>,
  event: RecordedEvent,
  person: Principal | undefined,
): RecordedEvent | undefined {
  const lens = lenses.get(event.id);
  return lens ? lens(person) : event;
}

/** The place that a call is in, within its transaction. */
export function positionInFilter(ctx: {
  readonly tx: Tx;
  readonly services: PlatformServices;
  readonly caller: Caller;
}): FilterPosition {
  const { tx, services, caller } = ctx;
  if (!caller.workspace) throw new Error("Events are seen within a workspace.");
  const partition = { workspace: caller.workspace.key, environment: caller.environment };
  return { services, partition, read: (work) => work(tx) };
}

/** What was contributed never changes while a process lives. */
const known = new WeakMap<PlatformServices["contributions"], readonly EventVisibility[]>();

/** How events are seen, where that is not simply as they are. */
export function eventVisibilities({
  contributions,
}: Pick<PlatformServices, "contributions">): readonly EventVisibility[] {
  let views = known.get(contributions);
  if (!views)
    known.set(contributions, (views = contributionsTo(EventVisibilityPoint, contributions)));
  return views;
}
