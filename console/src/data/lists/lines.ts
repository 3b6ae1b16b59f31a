/** A list that was read as a whole, and is kept current line by line. */
export interface Every<Item> {
  readonly items: readonly Item[];
  /** There are more than were asked for. */
  readonly isCut: boolean;
}

interface Line {
  readonly id: string;
}

/** The list after some of its lines were read again: changed in place, new ones first, and without those that are gone. */
export function putLines<Item extends Line>(
  list: Every<Item>,
  asked: ReadonlySet<string>,
  read: readonly Item[],
): Every<Item> {
  const found = new Map(read.map((item) => [item.id, item]));
  const known = new Set(list.items.map(({ id }) => id));
  const fresh = read.filter(({ id }) => !known.has(id));
  const kept = list.items.flatMap((item) =>
    asked.has(item.id) ? (found.get(item.id) ?? []) : [item],
  );
  return { ...list, items: [...fresh, ...kept] };
}
