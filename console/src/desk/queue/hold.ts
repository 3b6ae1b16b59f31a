/** Rows that would jump away under somebody's eyes stay where they are, until they are left. */

interface Row {
  readonly id: string;
}

export interface HeldRow<T extends Row> {
  readonly row: T;
  /** It no longer fits the view, and goes when somebody opens another. */
  readonly isLeaving: boolean;
}

/** The list as it is now, with the open row kept at its former place if it is no longer in it. */
export function holdOpen<T extends Row>(
  now: readonly T[],
  before: readonly HeldRow<T>[],
  openId: string | undefined,
): readonly HeldRow<T>[] {
  const rows = now.map((row): HeldRow<T> => ({ row, isLeaving: false }));
  if (openId === undefined || now.some(({ id }) => id === openId)) return rows;
  const at = before.findIndex(({ row }) => row.id === openId);
  const held = before[at];
  if (!held) return rows;
  return rows.toSpliced(Math.min(at, rows.length), 0, { row: held.row, isLeaving: true });
}

/** The row to open when this one is done: the next that stays, or the one before it. */
export function nextAfter<T extends Row>(
  rows: readonly HeldRow<T>[],
  openId: string | undefined,
): T | undefined {
  const at = rows.findIndex(({ row }) => row.id === openId);
  const staying = (list: readonly HeldRow<T>[]): T | undefined =>
    list.find(({ isLeaving }) => !isLeaving)?.row;
  return staying(rows.slice(at + 1)) ?? staying(rows.slice(0, Math.max(0, at)).toReversed());
}
