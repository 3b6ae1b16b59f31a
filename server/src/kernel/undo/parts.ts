/**
 * Lists of parts with ids in one resource, such as the pages of an app. Each part is undone separately, so that later
 * changes of other parts do not prevent it.
 */
import { isDeepStrictEqual } from "node:util";
import type { Change, State } from "./fold-changes.ts";

interface Part {
  readonly id: string;
}

const toKey = (list: string, { id }: Part): string => `${list}/${id}`;

function listParts(state: State | null, list: string): readonly Part[] {
  const parts = state?.[list];
  return Array.isArray(parts) ? (parts as Part[]) : [];
}

/** A state with each part as a separate field: `pages/pag_01…`. */
export function expandParts(state: State, lists: readonly string[]): State {
  const whole = Object.entries(state).filter(([name]) => !lists.includes(name));
  const parts = lists.flatMap((list) =>
    listParts(state, list).map((part) => [toKey(list, part), part]),
  );
  return Object.fromEntries([...whole, ...parts]) as State;
}

/** Converts a change of lists to changes of parts. */
export function expandChange(change: Change, lists: readonly string[]): Change {
  const { before, after, fields } = change;
  if (!before || !after) return change;
  const [was, is] = [expandParts(before, lists), expandParts(after, lists)];
  const parts = new Set(namesOfParts([was, is], lists));
  const changed = [...parts].filter((name) => !isDeepStrictEqual(was[name], is[name]));
  return {
    ...change,
    before: was,
    after: is,
    fields: [...fields.filter((field) => !lists.includes(field)), ...changed],
  };
}

/** The names of all parts in expanded states. */
export function namesOfParts(states: readonly State[], lists: readonly string[]): string[] {
  return states.flatMap((state) => Object.keys(state).filter((name) => isPart(name, lists)));
}

function isPart(name: string, lists: readonly string[]): boolean {
  return lists.some((list) => name.startsWith(`${list}/`));
}

/** The lists of an expanded state. A restored part gets its place from one of the earlier states. */
export function collapseParts(
  target: State,
  lists: readonly string[],
  { current, former }: { readonly current: State; readonly former: readonly State[] },
): State {
  const whole = Object.entries(target).filter(([name]) => !isPart(name, lists));
  const collapsed = lists.map((list) => {
    const there = Object.keys(target).filter(
      (name) => name.startsWith(`${list}/`) && target[name] !== null,
    );
    const order = there.filter((name) => Object.hasOwn(current, name));
    const places = there
      .filter((name) => !Object.hasOwn(current, name))
      .map((name) => ({ name, place: findPlace(name, list, former) }))
      .toSorted((one, other) => one.place - other.place);
    for (const { name, place } of places) order.splice(place, 0, name);
    return [list, order.map((name) => target[name])];
  });
  return Object.fromEntries([...whole, ...collapsed]) as State;
}

function findPlace(name: string, list: string, former: readonly State[]): number {
  const places = former.map((state) =>
    listParts(state, list).findIndex((part) => toKey(list, part) === name),
  );
  return places.find((place) => place >= 0) ?? Number.MAX_SAFE_INTEGER;
}
