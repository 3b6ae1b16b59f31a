/** Undoable changes of a grid: cells that were set, records that were created or deleted. */
import { isSame } from "../column/value.ts";
import type { Row, RowBook } from "./row-book.ts";

export interface CellSet {
  readonly id: string;
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface PlacedRow {
  readonly place: number;
  readonly row: Row;
}

/** An undo step. */
export interface Change {
  /** The description of the change, such as `40 cells pasted`. */
  readonly label: string;
  /** Identifies the change in the history. */
  readonly key?: number;
  readonly sets: readonly CellSet[];
  readonly created: readonly PlacedRow[];
  readonly deleted: readonly PlacedRow[];
}

export const NO_CHANGE: Omit<Change, "label"> = { sets: [], created: [], deleted: [] };

export const isEmpty = ({ sets, created, deleted }: Change): boolean =>
  sets.length + created.length + deleted.length === 0;

export function invert({ sets, created, deleted, ...rest }: Change): Change {
  return {
    ...rest,
    sets: sets.map(({ id, field, before, after }) => ({ id, field, before: after, after: before })),
    created: deleted,
    deleted: created,
  };
}

/** Applies a change locally, before the server confirms it. */
export function applyChange(book: RowBook, { sets, created, deleted }: Change): void {
  for (const { id, field, after } of sets) book.setValues(id, { [field]: after });
  for (const { row } of deleted) book.remove(row.id);
  for (const { place, row } of created.toSorted((a, b) => a.place - b.place)) {
    book.insert(Math.min(place, book.count), row);
  }
}

/** Reverts a change that the server rejected; cells that were changed again since keep their values. */
export function revertChange(book: RowBook, { sets, created, deleted }: Change): void {
  for (const { id, field, before, after } of sets) {
    const row = book.rows.get(id);
    if (row && isSame(row.values[field], after)) book.setValues(id, { [field]: before });
  }
  for (const { row } of created) book.remove(row.id);
  for (const { place, row } of deleted.toSorted((a, b) => a.place - b.place)) {
    if (!book.rows.has(row.id)) book.insert(Math.min(place, book.count), row);
  }
}

/** Removes sets that do not change the value. */
export function dropSame(sets: readonly CellSet[]): readonly CellSet[] {
  return sets.filter(({ before, after }) => !isSame(before, after));
}

/** Groups the sets by record, for one request. */
export function groupSets(
  sets: readonly CellSet[],
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const byId = new Map<string, Record<string, unknown>>();
  for (const { id, field, after } of sets) {
    const fields = byId.get(id) ?? {};
    fields[field] = after;
    byId.set(id, fields);
  }
  return byId;
}

/** Created and re-created records get new ids: the entries for undo and redo are updated to these ids. */
export function renameIn(change: Change, names: ReadonlyMap<string, string>): Change {
  const idOf = (id: string): string => {
    const next = names.get(id);
    return next === undefined || next === id ? id : idOf(next);
  };
  const isNamed = (id: string): boolean => names.has(id);
  const rename = (placed: PlacedRow): PlacedRow =>
    isNamed(placed.row.id)
      ? { ...placed, row: { ...placed.row, id: idOf(placed.row.id) } }
      : placed;
  return {
    ...change,
    sets: change.sets.map((set) => (isNamed(set.id) ? { ...set, id: idOf(set.id) } : set)),
    created: change.created.map(rename),
    deleted: change.deleted.map(rename),
  };
}

const STEPS_MAX = 100;

/** The changes that can be undone and redone. */
export interface History {
  readonly past: readonly Change[];
  readonly future: readonly Change[];
}

export const NO_HISTORY: History = { past: [], future: [] };

export function record({ past }: History, change: Change): History {
  return { past: [...past, change].slice(-STEPS_MAX), future: [] };
}

/** Removes a change that the server rejected, because there is nothing to undo. */
export function dropChange({ past, future }: History, key: number | undefined): History {
  const others = (list: readonly Change[]) => list.filter((one) => one.key !== key);
  return { past: others(past), future };
}

export function stepBack({ past, future }: History): readonly [Change, History] | undefined {
  const change = past.at(-1);
  if (!change) return undefined;
  return [invert(change), { past: past.slice(0, -1), future: [...future, change] }];
}

export function stepForward({ past, future }: History): readonly [Change, History] | undefined {
  const change = future.at(-1);
  if (!change) return undefined;
  return [change, { past: [...past, change], future: future.slice(0, -1) }];
}
