/** The names of linked records. References include their name; lists of links contain only ids. */
import { useEffect, useMemo } from "react";
import { call } from "../../data/api.ts";
import { type GridColumn, linkTargetOf } from "../column/column.ts";
import { nameIn } from "../column/value.ts";
import type { RowBook } from "./row-book.ts";

const IDS_MAX = 200;

/** Ids that were already requested, with or without a result. */
const asked = new WeakMap<RowBook, Set<string>>();

/** Reloads the names of these records, because they may have changed. */
export function forgetNames(book: RowBook, ids: readonly string[]): void {
  for (const id of ids) asked.get(book)?.delete(id);
}

/** Loads the names of the linked records of loaded rows, in batches of some hundred. */
export function useLinkNames(book: RowBook, columns: readonly GridColumn[]): void {
  const { version } = book;
  useEffect(() => {
    if (version < 0) return;
    for (const column of columns) {
      const target = linkTargetOf(column);
      if (target !== undefined) void readNames(book, column.name, target);
    }
  }, [book, columns, version]);
}

async function readNames(book: RowBook, field: string, target: string): Promise<void> {
  const known = asked.get(book) ?? new Set<string>();
  asked.set(book, known);
  const ids = new Set<string>();
  for (const { values } of book.rows.values()) {
    const list = values[field];
    if (!Array.isArray(list)) continue;
    for (const id of list) if (!known.has(String(id)) && ids.size < IDS_MAX) ids.add(String(id));
  }
  if (ids.size === 0) return;
  for (const id of ids) known.add(id);
  const filter = JSON.stringify({ id: { in: [...ids] } });
  try {
    const query = { filter, limit: IDS_MAX };
    const { data } = await call("records.list", { params: { slug: target }, query });
    for (const record of data) {
      const name = nameIn(record);
      if (name !== undefined) book.setName(record.id, name);
    }
    book.touch();
  } catch {
    // If the request fails, the cell shows the id.
  }
}

/** Returns a new function when a name changes, so that rows re-render. */
export function useCellNames(book: RowBook, names: (id: string) => string | undefined) {
  const known = book.namesVersion;
  return useMemo(() => {
    const own = known === 0 ? undefined : book.names;
    return (id: string): string | undefined => own?.get(id) ?? names(id);
  }, [book, names, known]);
}
