/**
 * Determines which events can be undone separately. The side effects of a transition, such as tasks added by an
 * approval, belong to it: undoing only them would leave a ticket in a state that no transition produced.
 */
import type { Platform } from "../contract.ts";
import type { RecordedEvent } from "../log/event.ts";
import { type Inverse, knownInverses } from "./inverse.ts";

type Known = Pick<Platform, "contributions" | "operations">;

/** Finds the transition types of events, by event id. */
export function findTransitions(
  platform: Known,
  events: readonly RecordedEvent[],
): ReadonlyMap<string, string> {
  const inverses = knownInverses(platform);
  const transitions = new Map<string, string>();
  const newestFirst = events.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  for (const event of newestFirst) {
    if (inverses.has(event.type) || !tellsState(event.data)) continue;
    // The first transition is the caller's; the others follow from it.
    transitions.set(keyOf(event), event.type);
  }
  const found = new Map<string, string>();
  for (const event of events) {
    const transition = transitions.get(keyOf(event));
    if (transition !== undefined && inverses.has(event.type)) found.set(event.id, transition);
  }
  return found;
}

/** True for data of events about resources with a life cycle, such as tickets. */
export function tellsState(data: unknown): boolean {
  return typeof (data as { readonly state?: unknown } | null)?.state === "string";
}

const keyOf = ({ position: { epoch }, transaction, resource }: RecordedEvent): string =>
  `${epoch}.${transaction}.${resource.id}`;

/** True if the inverse cannot set any of the changed fields. */
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
 * The ids of events that an undo would accept if nothing changed since, together with events that repeat their
 * changes.
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
