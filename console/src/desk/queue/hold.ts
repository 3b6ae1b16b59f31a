/** The order of the queue while a user works in it: rows keep their places until the user asks for the new order. */

interface Row {
  readonly id: string;
}

export interface HeldRow<T extends Row> {
  readonly row: T;
  /** The row no longer matches the view, and is removed when another ticket is opened. */
  readonly isLeaving: boolean;
}

export interface HeldQueue<T extends Row> {
  readonly rows: readonly HeldRow<T>[];
  /** The server's order differs from the displayed order. */
  readonly isReordered: boolean;
}

export interface Hold {
  readonly openId: string | undefined;
  /** Keeps the order of known rows. */
  readonly keepsOrder: boolean;
}

/** Returns the rows to display, in the server's order or the previous one; the open row is always kept. */
export function holdRows<T extends Row>(
  now: readonly T[],
  before: readonly HeldRow<T>[],
  { openId, keepsOrder }: Hold,
): HeldQueue<T> {
  const ordered = keepsOrder ? keepOrder(now, before) : now;
  const rows = ordered.map((row): HeldRow<T> => ({ row, isLeaving: false }));
  const isReordered = ordered.some(({ id }, at) => id !== now[at]?.id);
  if (openId === undefined || now.some(({ id }) => id === openId)) return { rows, isReordered };
  const at = before.findIndex(({ row }) => row.id === openId);
  const held = before[at];
  if (!held) return { rows, isReordered };
  const place = countBefore(ordered, before.slice(0, at));
  return {
    rows: rows.toSpliced(keepsOrder ? place : Math.min(at, rows.length), 0, {
      row: held.row,
      isLeaving: true,
    }),
    isReordered,
  };
}

/** Known rows keep their previous order; a new row is placed after its predecessor on the server. */
function keepOrder<T extends Row>(now: readonly T[], before: readonly HeldRow<T>[]): readonly T[] {
  const byId = new Map(now.map((row) => [row.id, row]));
  const known = before.flatMap(({ row }) => byId.get(row.id) ?? []);
  const knownIds = new Set(known.map(({ id }) => id));
  const newAfter = new Map<string | undefined, T[]>();
  let previousId: string | undefined;
  for (const row of now) {
    if (knownIds.has(row.id)) previousId = row.id;
    else newAfter.set(previousId, [...(newAfter.get(previousId) ?? []), row]);
  }
  return [
    ...(newAfter.get(undefined) ?? []),
    ...known.flatMap((row) => [row, ...(newAfter.get(row.id) ?? [])]),
  ];
}

/** Returns the place after the last of the former rows that are still listed. */
function countBefore<T extends Row>(rows: readonly T[], former: readonly HeldRow<T>[]): number {
  const ids = new Set(former.map(({ row }) => row.id));
  return rows.findLastIndex(({ id }) => ids.has(id)) + 1;
}

/** Returns the row to open after this one: the next that still matches, or the previous one. */
export function nextAfter<T extends Row>(
  rows: readonly HeldRow<T>[],
  openId: string | undefined,
): T | undefined {
  const at = rows.findIndex(({ row }) => row.id === openId);
  const staying = (list: readonly HeldRow<T>[]): T | undefined =>
    list.find(({ isLeaving }) => !isLeaving)?.row;
  return staying(rows.slice(at + 1)) ?? staying(rows.slice(0, Math.max(0, at)).toReversed());
}
