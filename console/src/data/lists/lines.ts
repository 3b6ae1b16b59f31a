import { replaceEqualDeep } from "@tanstack/react-query";

/**
 * A list that was read as a whole, and is kept current line by line. Answers come in any order: of each line that
 * reading counts which was begun last.
 */
export interface Every<Item> {
  readonly items: readonly Item[];
  /** There are more than were asked for. */
  readonly isCut: boolean;
  /** When the reading of the whole was begun, and that of the lines which were read by themselves since. */
  readonly begunAt: number;
  readonly linesBegunAt: ReadonlyMap<string, number>;
}

interface Line {
  readonly id: string;
}

/** A reading of some lines; those that were asked for and not read are gone. */
interface LineReading<Item> {
  readonly asked: ReadonlySet<string>;
  readonly items: readonly Item[];
  readonly begunAt: number;
}

/**
 * The list after some of its lines were read again: changed in place, new ones first, and without those that are gone.
 */
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

/** The list after it was read as a whole, with those lines of before whose own reading was begun later than it. */
export function putWhole<Item extends Line>(
  before: Every<Item> | undefined,
  whole: Every<Item>,
): Every<Item> {
  // A new object each time would be drawn without end, for as long as another list is read in its place.
  if (!before || before === whole) return whole;
  if (before.begunAt > whole.begunAt) return before;
  // A line that did not change stays the same object.
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
