/** Shows rejected changes so the user can decide. */
import type { Change } from "../book/change.ts";
import type { Refusal } from "../book/send-change.ts";
import { cellKey } from "../book/row-book.ts";
import { titleOfColumn } from "../column/column.ts";
import { asText } from "../column/value.ts";
import type { Sheet } from "../sheet/cell-acts.ts";
import type { Problem } from "./paste.ts";

/** Removes the rejected parts of a change; undefined if they are unknown, or nothing remains. */
export function leaveOut(change: Change, { cells }: Refusal): Change | undefined {
  const records = new Set(cells.filter(({ field }) => field === "").map(({ id }) => id));
  const refused = new Set(cells.map(({ id, field }) => cellKey(id, field)));
  const sets = change.sets.filter(
    ({ id, field }) => !records.has(id) && !refused.has(cellKey(id, field)),
  );
  const all = new Set(cells.map(({ id }) => id));
  const created = change.created.filter(({ row }) => !all.has(row.id));
  const left = sets.length + created.length + change.deleted.length;
  const before = change.sets.length + change.created.length + change.deleted.length;
  return left === 0 || left === before ? undefined : { ...change, sets, created };
}

export function toProblems(
  { book, rows, columns, nameOf }: Sheet,
  { sets, created }: Change,
  { cells }: Refusal,
): readonly Problem[] {
  const values = new Map(sets.map(({ id, field, after }) => [cellKey(id, field), after]));
  const made = new Map(created.map(({ row, place }) => [row.id, { row, place }]));
  return cells.map(({ id, field, message }) => {
    const place = made.get(id)?.place ?? book.order.indexOf(id);
    const value = values.get(cellKey(id, field)) ?? made.get(id)?.row.values[field];
    return {
      row: place < 0 ? undefined : rows.lineOf(place) + 1,
      column: titleOfColumn(columns, field),
      text: typeof value === "string" ? (nameOf(value) ?? value) : asText(value),
      message,
      cells: 1,
    };
  });
}
