/** The selected rows of a list. `anchor` is where a range begins. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly anchor: string | undefined;
}

export const NOTHING: Selection = { ids: new Set(), anchor: undefined };

export function toggleOne({ ids }: Selection, id: string): Selection {
  return { ids: ids.symmetricDifference(new Set([id])), anchor: id };
}

/** Selects all rows from the anchor to this row, both included. */
export function selectRange(selection: Selection, order: readonly string[], to: string): Selection {
  const [a, b] = [order.indexOf(selection.anchor ?? to), order.indexOf(to)];
  if (a < 0 || b < 0) return toggleOne(selection, to);
  const range = order.slice(Math.min(a, b), Math.max(a, b) + 1);
  return { ids: selection.ids.union(new Set(range)), anchor: selection.anchor ?? to };
}

/** Removes rows that are no longer listed. */
export function keepListed(selection: Selection, order: readonly string[]): Selection {
  const listed = selection.ids.intersection(new Set(order));
  return listed.size === selection.ids.size ? selection : { ...selection, ids: listed };
}
