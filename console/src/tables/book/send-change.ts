/** Carries changes of a grid to the server, one after the other, and what it says about them back to the cells. */
import { ApiError, call, correlationOf, type Reply } from "../../data/api.ts";
import { notify, notifyError } from "../../ui/toast.tsx";
import { asText, isSame, toText } from "../column/value.ts";
import type { GridColumn } from "../column/column.ts";
import { type CellSet, type Change, groupSets, type PlacedRow } from "./change.ts";
import { cellKey, type RowBook } from "./row-book.ts";

const EDITS_MAX = 1_000;
const IDS_MAX = 500;

export interface Target {
  readonly slug: string;
  readonly book: RowBook;
  readonly columns: readonly GridColumn[];
  /** Tells that a record has another id now. */
  readonly onRename: (from: string, to: string) => void;
}

/** Sends a change; throws nothing: what is refused is taken back and said where it belongs. */
export async function sendChange(target: Target, change: Change): Promise<void> {
  const { book } = target;
  try {
    if (change.deleted.length > 0) await sendDeletes(target, change.deleted);
    if (change.created.length > 0) {
      await sendCreates(target, await restoreDeleted(target, change.created));
    }
    if (change.sets.length > 0) await sendSets(target, change.sets);
  } catch (error) {
    notifyError(error);
    book.forget();
  }
  book.touch();
}

/** Drafts are the records that the server does not know yet. */
export const isDraft = (id: string): boolean => id.startsWith("new-");

async function sendDeletes({ slug, book }: Target, deleted: readonly PlacedRow[]): Promise<void> {
  const ids = deleted.map(({ row }) => row.id).filter((id) => !isDraft(id));
  for (let n = 0; n < ids.length; n += IDS_MAX) {
    const part = ids.slice(n, n + IDS_MAX);
    const filter = JSON.stringify({ id: { in: part } });
    const reply = await call("records.bulk_delete", { params: { slug }, query: { filter } });
    const correlation = correlationOf(reply);
    for (const id of part) if (correlation !== undefined) book.deletions.set(id, correlation);
  }
}

/** Brings back what was deleted, with its id and all that refers to it; the others are returned, to be made anew. */
async function restoreDeleted(
  { slug, book }: Target,
  created: readonly PlacedRow[],
): Promise<readonly PlacedRow[]> {
  const rest: PlacedRow[] = [];
  for (const [correlationId, rows] of Map.groupBy(created, ({ row }) =>
    book.deletions.get(row.id),
  )) {
    if (correlationId === undefined || !(await isUndone(correlationId))) {
      rest.push(...rows);
      continue;
    }
    const ids = rows.map(({ row }) => row.id);
    for (const id of ids) book.deletions.delete(id);
    for (const record of await readRows(slug, ids)) book.keep(record);
  }
  return rest;
}

/** Undoes an act; false for those who may not. */
async function isUndone(correlationId: string): Promise<boolean> {
  try {
    await call("undo.perform", { body: { correlationId } });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return false;
    throw error;
  }
}

async function sendCreates(target: Target, created: readonly PlacedRow[]): Promise<void> {
  const ready = created.filter(({ row }) => findMissing(target, row.values).length === 0);
  const { slug, book } = target;
  for (let n = 0; n < ready.length; n += EDITS_MAX) {
    const part = ready.slice(n, n + EDITS_MAX);
    const records = part.map(({ row }) => writableOf(target, row.values));
    try {
      const { data } = await call("records.bulk_create", { params: { slug }, body: { records } });
      for (const [k, record] of data.entries()) {
        const from = part[k]?.row.id;
        if (from === undefined || from === record.id) continue;
        book.rename(from, { ...record, revision: 1 });
        target.onRename(from, record.id);
      }
    } catch (error) {
      if (!(error instanceof ApiError) || error.errors.length === 0) throw error;
      for (const { path, message } of error.errors) {
        const [, , at = "0", field = ""] = path.split("/");
        const row = part[Number(at)]?.row;
        if (row) book.faults.set(cellKey(row.id, field), { message, mine: row.values[field] });
      }
      notify(`Not saved: ${error.message}`);
    }
  }
}

/** The fields that must have a value and have none. */
export function findMissing(
  { columns }: Pick<Target, "columns">,
  values: Readonly<Record<string, unknown>>,
): readonly GridColumn[] {
  return columns.filter(
    ({ name, isRequired, readOnly, options }) =>
      isRequired &&
      readOnly === undefined &&
      options["hasDefault"] !== true &&
      (values[name] ?? null) === null,
  );
}

function writableOf({ columns }: Target, values: Readonly<Record<string, unknown>>) {
  const fields = columns.filter(({ readOnly }) => readOnly === undefined);
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = values[name] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
}

async function sendSets(target: Target, sets: readonly CellSet[]): Promise<void> {
  const { book } = target;
  const drafts = new Set(sets.map(({ id }) => id).filter(isDraft));
  // A draft is made as soon as it has all that it needs.
  for (const id of drafts) {
    const row = book.rows.get(id);
    if (row) await sendCreates(target, [{ place: book.order.indexOf(id), row }]);
  }
  const ids = [...groupSets(sets.filter(({ id }) => !isDraft(id)))];
  for (let n = 0; n < ids.length; n += EDITS_MAX) {
    const part = new Set(ids.slice(n, n + EDITS_MAX).map(([id]) => id));
    await sendEdits(
      target,
      sets.filter(({ id }) => part.has(id)),
      2,
    );
  }
}

/** Sends edits on the revisions that were seen. What others changed elsewhere in a record is no conflict. */
async function sendEdits(
  target: Target,
  sets: readonly CellSet[],
  triesLeft: number,
): Promise<void> {
  const { slug, book } = target;
  const grouped = [...groupSets(sets)];
  const edits = grouped.map(([id, set]) => ({
    id,
    revision: book.rows.get(id)?.revision ?? 1,
    set,
  }));
  if (edits.length === 0) return;
  try {
    const { data } = await call("records.edit", { params: { slug }, body: { edits } });
    noteSaved(book, data);
    for (const { id, field } of sets) book.faults.delete(cellKey(id, field));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "records_changed" && triesLeft > 0) {
      const rest = await settleConflicts(target, sets);
      return sendEdits(target, rest, triesLeft - 1);
    }
    const faulty = new Set<string>();
    for (const { path, message } of error.errors) {
      const [, , at = "0", , field = ""] = path.split("/");
      const id = edits[Number(at)]?.id;
      const set = sets.find((one) => one.id === id && one.field === field);
      if (!set) continue;
      faulty.add(cellKey(set.id, set.field));
      book.faults.set(cellKey(set.id, set.field), { message, mine: set.after });
    }
    for (const { id, field, before } of sets) book.setValues(id, { [field]: before });
    notify(`Not saved: ${error.message}`);
    // All or none, for the server; for people the cells that are well are saved.
    const well = sets.filter(({ id, field }) => !faulty.has(cellKey(id, field)));
    if (faulty.size === 0 || well.length === 0 || triesLeft === 0) return undefined;
    for (const { id, field, after } of well) book.setValues(id, { [field]: after });
    return sendEdits(target, well, triesLeft - 1);
  }
  return undefined;
}

function noteSaved(book: RowBook, saved: Reply<"records.edit">["data"]): void {
  for (const record of saved) {
    const row = book.rows.get(record.id);
    // Only its revision: cells may have been edited since.
    if (row) book.rows.set(record.id, { ...row, revision: record.revision });
  }
}

/** Reads the records that others changed; what they set in the same cells stays theirs and is said there. */
async function settleConflicts(
  { slug, book, columns }: Target,
  sets: readonly CellSet[],
): Promise<readonly CellSet[]> {
  const ids = [...new Set(sets.map(({ id }) => id))];
  const found = await readRows(slug, ids);
  const current = new Map(found.map((record) => [String(record["id"]), record]));
  const rest = sets.filter((set) => {
    const record = current.get(set.id);
    if (!record) return false;
    const theirs = record[set.field] ?? null;
    if (isSame(theirs, set.before) || isSame(theirs, set.after)) return true;
    const column = columns.find(({ name }) => name === set.field);
    const words = column ? toText(column, theirs, (id) => book.names.get(id)) : asText(theirs);
    const message = `Somebody else wrote “${words || "nothing"}” here meanwhile.`;
    book.faults.set(cellKey(set.id, set.field), { message, mine: set.after, theirs });
    return false;
  });
  for (const record of found) book.keep(record);
  for (const id of ids) if (!current.has(id)) book.remove(id);
  for (const { id, field, after } of rest) book.setValues(id, { [field]: after });
  return rest;
}

/** Reads records by their ids, as they are now. */
export async function readRows(
  slug: string,
  ids: readonly string[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  const [step] = [200];
  for (let n = 0; n < ids.length; n += step) {
    const filter = JSON.stringify({ id: { in: ids.slice(n, n + step) } });
    const { data } = await call("records.list", {
      params: { slug },
      query: { filter, limit: step },
    });
    rows.push(...(data as readonly Readonly<Record<string, unknown>>[]));
  }
  return rows;
}
