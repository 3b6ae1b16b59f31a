/**
 * Which events can be undone by themselves. What a transition does beside its change of state, such as the tasks that
 * an approval adds, belongs to it: without the transition, undoing the rest would leave a ticket in a state that nobody
 * brought it to.
 */
import type { Platform } from "../contract.ts";
import type { RecordedEvent } from "../log/event.ts";
import { type Inverse, knownInverses } from "./inverse.ts";

type Known = Pick<Platform, "contributions" | "operations">;

/** The types of the transitions that events belong to, by the ids of the events. */
export function findTransitions(
  platform: Known,
  events: readonly RecordedEvent[],
): ReadonlyMap<string, string> {
  const inverses = knownInverses(platform);
  const transitions = new Map<string, string>();
  const newestFirst = events.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  for (const event of newestFirst) {
    if (inverses.has(event.type) || !tellsState(event.data)) continue;
    // The first transition of several is the one that somebody made.
    transitions.set(keyOf(event), event.type);
  }
  const found = new Map<string, string>();
  for (const event of events) {
    const transition = transitions.get(keyOf(event));
    if (transition !== undefined && inverses.has(event.type)) found.set(event.id, transition);
  }
  return found;
}

/** True of the data of events about things with a life cycle, such as tickets. */
export function tellsState(data: unknown): boolean {
  return typeof (data as { readonly state?: unknown } | null)?.state === "string";
}

const keyOf = ({ position: { epoch }, transaction, resource }: RecordedEvent): string =>
  `${epoch}.${transaction}.${resource.id}`;

/** True where none of the fields that an update changed can be set by the inverse. */
export function changesNothingSettable(
  { operations }: Pick<Platform, "operations">,
  inverse: Inverse,
  changed: readonly string[],
): boolean {
  if (!("get" in inverse) || inverse.update === undefined) return false;
  const body = operations.get(inverse.update)?.body as { readonly properties?: object } | undefined;
  const settable = Object.keys(body?.properties ?? {});
  const isPart = (name: string) => inverse.parts?.includes(name) === true;
  return !changed.some((name) => settable.includes(name) || isPart(name));
}

/**
 * The ids of those events that an undo would accept, unless something changed since; with them what tells of the same
 * changes in another way.
 */
export function listUndoable(
  platform: Known,
  events: readonly RecordedEvent[],
): ReadonlySet<string> {
  const inverses = knownInverses(platform);
  const bound = findTransitions(platform, events);
  const known = events.filter(({ id, type }) => inverses.has(type) && !bound.has(id));
  const isCompanion = ({ type }: RecordedEvent) => inverses.get(type)?.effect === "companion";
  const undoable = known.filter((event) => {
    const inverse = inverses.get(event.type)?.inverse;
    const { changes } = event.data;
    if (isCompanion(event) || !inverse) return false;
    return !Array.isArray(changes) || !changesNothingSettable(platform, inverse, changes);
  });
  const changed = new Set(undoable.map(keyOf));
  const companions = known.filter((event) => isCompanion(event) && changed.has(keyOf(event)));
  return new Set([...undoable, ...companions].map(({ id }) => id));
}
