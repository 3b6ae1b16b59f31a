import { replaceEqualDeep } from "@tanstack/react-query";

/**
 * A complete list that is kept current item by item. Responses can arrive in any order: for each item, the read
 * that started last wins.
 */
export interface Every<Item> {
  readonly items: readonly Item[];
  /** True if the list was truncated at the limit. */
  readonly isCut: boolean;
  /** The start time of the complete read, and of later reads of single items. */
  readonly begunAt: number;
  readonly linesBegunAt: ReadonlyMap<string, number>;
}

interface Line {
  readonly id: string;
}

/** A read of single items; requested items that are missing were deleted. */
interface LineReading<Item> {
  readonly asked: ReadonlySet<string>;
  readonly items: readonly Item[];
  readonly begunAt: number;
}

/** Merges reloaded items: changed ones in place, new ones first, deleted ones removed. */
export function putLines<Item extends Line>(
  list: Every<Item>,
  { asked, items, begunAt }: LineReading<Item>,
): Every<Item> {
  const isLast = (id: string): boolean => (list.linesBegunAt.get(id) ?? list.begunAt) < begunAt;
  const newer = new Set([...asked].filter(isLast));
  if (newer.size === 0) return list;
  const found = new Map(items.filter(({ id }) => newer.has(id)).map((item) => [item.id, item]));
  const kept = list.items.flatMap((item) =>
    newer.has(item.id) ? (takeOut(found, item.id) ?? []) : [item],
  );
  const stamps = [...newer].map((id) => [id, begunAt] as const);
  return {
    ...list,
    items: [...found.values(), ...kept],
    linesBegunAt: new Map([...list.linesBegunAt, ...stamps]),
  };
}

/** Replaces the list after a complete read, but keeps items whose own read started later. */
export function putWhole<Item extends Line>(
  before: Every<Item> | undefined,
  whole: Every<Item>,
): Every<Item> {
  // Returning a new object every time would cause endless renders while another list loads in its place.
  if (!before || before === whole) return whole;
  if (before.begunAt > whole.begunAt) return before;
  // Unchanged items stay the same object.
  const same = { ...whole, items: replaceEqualDeep(before.items, whole.items) };
  const later = [...before.linesBegunAt].filter(([, at]) => at > whole.begunAt);
  return later.reduce((list, [id, begunAt]) => {
    const items = before.items.filter((item) => item.id === id);
    return putLines(list, { asked: new Set([id]), items, begunAt });
  }, same);
}

function takeOut<Item>(from: Map<string, Item>, id: string): Item | undefined {
  const item = from.get(id);
  from.delete(id);
  return item;
}
