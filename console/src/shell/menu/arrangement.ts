/** The first menu entries, in the user's order. */

/** A user's changes to the menu. The key is the id of an area or the address of a pinned screen. */
export interface Arrangement {
  readonly order: readonly string[];
  readonly pinned: readonly string[];
  readonly hidden: readonly string[];
}

export const ORIGINAL: Arrangement = { order: [], pinned: [], hidden: [] };

/** The maximum number of first entries. A longer menu would be slow to scan. */
export const FIRST_MAX = 9;
/** The maximum number of stored entries. The stored value can have any shape, so it is validated. */
const STORED_MAX = 100;

interface Candidate {
  readonly id: string;
  /** False if the user can only read there. */
  readonly isUsed: boolean;
}

interface Shown<T> {
  readonly first: readonly T[];
  readonly more: readonly T[];
}

/** Divides entries into first entries and entries under "More". */
export function arrange<T extends Candidate>(
  candidates: readonly T[],
  { order, pinned, hidden }: Arrangement,
): Shown<T> {
  const place = ({ id }: T, at: number): number => {
    const own = order.indexOf(id);
    return own === -1 ? order.length + at : own;
  };
  const places = new Map(candidates.map((one, at) => [one, place(one, at)]));
  const sorted = candidates.toSorted(
    (one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0),
  );
  const isPinned = ({ id }: T): boolean => pinned.includes(id);
  const isFree = ({ id }: T): boolean => !hidden.includes(id);
  // For a user who can only read, all areas count as used.
  const isReader = candidates.filter(({ isUsed }) => isUsed).length <= 1;
  const wanted = sorted.filter(
    (one) => isFree(one) && (isPinned(one) || isReader || one.isUsed || order.includes(one.id)),
  );
  const room = FIRST_MAX - wanted.filter(isPinned).length;
  const unpinned = wanted.filter((one) => !isPinned(one)).slice(0, Math.max(room, 0));
  const first = wanted.filter((one) => isPinned(one) || unpinned.includes(one)).slice(0, FIRST_MAX);
  return { first, more: sorted.filter((one) => !first.includes(one)) };
}

const without = (ids: readonly string[], id: string): readonly string[] =>
  ids.filter((one) => one !== id);

export const pin = (to: Arrangement, id: string): Arrangement => ({
  ...to,
  pinned: [...without(to.pinned, id), id],
  hidden: without(to.hidden, id),
});

export const unpin = (to: Arrangement, id: string): Arrangement => ({
  ...to,
  order: without(to.order, id),
  pinned: without(to.pinned, id),
});

export const hide = (to: Arrangement, id: string): Arrangement => ({
  order: without(to.order, id),
  pinned: without(to.pinned, id),
  hidden: [...without(to.hidden, id), id],
});

/** Moves an entry within the first entries, whose ids are given in order. */
export function move(
  to: Arrangement,
  first: readonly string[],
  { id, by }: { readonly id: string; readonly by: 1 | -1 },
): Arrangement {
  const at = first.indexOf(id);
  const target = at + by;
  if (at === -1 || target < 0 || target >= first.length) return to;
  return { ...to, order: first.toSpliced(at, 1).toSpliced(target, 0, id) };
}

/** Parses a stored value; missing and invalid parts use the defaults. */
export function readArrangement(value: unknown): Arrangement {
  const stored: Readonly<Record<string, unknown>> =
    typeof value === "object" && value !== null ? { ...value } : {};
  const idsOf = (name: keyof Arrangement): readonly string[] => {
    const ids: unknown = stored[name];
    if (!Array.isArray(ids)) return [];
    const texts = ids.filter((id): id is string => typeof id === "string");
    return [...new Set(texts)].slice(0, STORED_MAX);
  };
  return { order: idsOf("order"), pinned: idsOf("pinned"), hidden: idsOf("hidden") };
}

export const isOriginal = ({ order, pinned, hidden }: Arrangement): boolean =>
  order.length + pinned.length + hidden.length === 0;
