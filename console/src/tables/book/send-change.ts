/** Sends grid changes to the server, each as one atomic request. */
import { ApiError, call, correlationOf, type Reply } from "../../data/api.ts";
import { asText, isSame, toText } from "../column/value.ts";
import type { GridColumn } from "../column/column.ts";
import { type Change, groupSets, type PlacedRow } from "./change.ts";
import { cellKey, isDraft, type RowBook } from "./row-book.ts";

const READ_MAX = 200;
const READS_AT_ONCE = 3;
const CHANGED_MEANWHILE = "Another user changed these records.";
/** How often a change is retried because other users changed other cells of its records. */
const TRIES = 3;

export interface Target {
  readonly slug: string;
  readonly book: RowBook;
  readonly columns: readonly GridColumn[];
  /** The correlation ids of deletions: undo restores the records with it, under their old ids. */
  readonly deletions: Map<string, string>;
  /** Called when records get new ids. */
  readonly onRename: (names: ReadonlyMap<string, string>) => void;
}

/** The cell that caused a rejection; without a field, the whole record. */
export interface RefusedCell {
  readonly id: string;
  readonly field: string;
  readonly message: string;
  /** The other user's value, in case of a conflict. */
  readonly theirs?: unknown;
}

/** Why a change was rejected. */
export interface Refusal {
  readonly message: string;
  readonly cells: readonly RefusedCell[];
}

/** Sends a change; returns the reason if the server rejected it. A rejected change has no effect. */
export async function sendChange(target: Target, change: Change): Promise<Refusal | undefined> {
  const created = await restoreDeleted(target, change.created);
  return send(target, { ...change, created }, TRIES);
}

/** Restores deleted records with their ids and references; returns those that must be created again. */
async function restoreDeleted(
  { slug, book, deletions }: Target,
  created: readonly PlacedRow[],
): Promise<readonly PlacedRow[]> {
  const rest: PlacedRow[] = [];
  for (const [correlationId, rows] of Map.groupBy(created, ({ row }) => deletions.get(row.id))) {
    if (correlationId === undefined || !(await isUndone(correlationId))) {
      rest.push(...rows);
      continue;
    }
    const ids = rows.map(({ row }) => row.id);
    for (const id of ids) deletions.delete(id);
    for (const record of await readRows(slug, ids)) book.keep(record);
  }
  return rest;
}

/** Undoes an operation; returns false if the user does not have permission. */
async function isUndone(correlationId: string): Promise<boolean> {
  try {
    await call("undo.perform", { body: { correlationId } });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return false;
    throw error;
  }
}

/** A change request, with the record ids by list entry. */
interface Request {
  readonly create: readonly PlacedRow[];
  readonly edit: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
  readonly deleted: readonly string[];
}

function toRequest(target: Target, { sets, created, deleted }: Change): Request {
  const { book } = target;
  const drafts = new Map(created.map((placed) => [placed.row.id, placed]));
  // A draft is created as soon as its required fields are set.
  for (const { id } of sets) {
    const row = isDraft(id) ? book.rows.get(id) : undefined;
    if (row) drafts.set(id, { row, place: book.order.indexOf(id) });
  }
  return {
    create: [...drafts.values()].filter(({ row }) => findMissing(target, row.values).length === 0),
    edit: [...groupSets(sets.filter(({ id }) => !isDraft(id)))],
    deleted: deleted.map(({ row }) => row.id).filter((id) => !isDraft(id)),
  };
}

async function send(
  target: Target,
  change: Change,
  triesLeft: number,
): Promise<Refusal | undefined> {
  const { slug, book } = target;
  const request = toRequest(target, change);
  const { create, edit, deleted } = request;
  if (create.length + edit.length + deleted.length === 0) return undefined;
  // This change was made in another list, and other users may have changed the record since: compare its
  // cells first.
  if (edit.some(([id]) => book.revisionOf(id) === undefined)) {
    const cells = await findConflicts(target, change);
    if (cells.length > 0) return { message: CHANGED_MEANWHILE, cells };
  }
  const body = {
    ...(deleted.length > 0 && { delete: [...deleted] }),
    ...(edit.length > 0 && {
      edit: edit.map(([id, set]) => {
        const revision = book.revisionOf(id);
        return { id, ...(revision !== undefined && { revision }), set };
      }),
    }),
    ...(create.length > 0 && { create: create.map(({ row }) => writableOf(target, row.values)) }),
  };
  try {
    noteSaved(target, request, await call("records.apply", { params: { slug }, body }));
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code !== "records_changed") return toRefusal(error, request);
    const cells = await findConflicts(target, change);
    if (cells.length === 0 && triesLeft > 0) return send(target, change, triesLeft - 1);
    return { message: CHANGED_MEANWHILE, cells };
  }
}

function noteSaved(
  { book, deletions, onRename }: Target,
  { create, edit, deleted }: Request,
  reply: Reply<"records.apply">,
): void {
  const correlation = correlationOf(reply);
  if (correlation !== undefined) for (const id of deleted) deletions.set(id, correlation);
  for (const { id, revision } of reply.data.edited) book.noteRevision(id, revision);
  const names = new Map<string, string>();
  for (const [n, { id, revision }] of reply.data.created.entries()) {
    const from = create[n]?.row.id;
    if (from === undefined || from === id) continue;
    book.rename(from, { ...book.rows.get(from)?.values, id, revision });
    names.set(from, id);
  }
  if (names.size > 0) onRename(names);
  for (const [id, fields] of edit) {
    for (const field of Object.keys(fields)) book.faults.delete(cellKey(id, field));
  }
  book.noteWritten([...reply.data.created, ...reply.data.edited].map(({ id }) => id));
}

/** Maps the paths of an error response to cells: `/edit/3/set/price`, `/create/0/name`. */
function toRefusal(error: ApiError, { create, edit }: Request): Refusal {
  const cells = error.errors.flatMap(({ path, message }): readonly RefusedCell[] => {
    const [, list, at = "", ...rest] = path.split("/");
    const id = list === "edit" ? edit[Number(at)]?.[0] : create[Number(at)]?.row.id;
    const field = (list === "edit" ? rest[1] : rest[0]) ?? "";
    return id === undefined ? [] : [{ id, field, message }];
  });
  return { message: error.message, cells };
}

/** Returns the required fields that are empty. */
export function findMissing(
  { columns }: Pick<Target, "columns">,
  values: Readonly<Record<string, unknown>>,
): readonly GridColumn[] {
  return columns.filter(
    ({ name, isRequired, readOnly, hasDefault }) =>
      isRequired &&
      readOnly === undefined &&
      hasDefault !== true &&
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

/** Reloads records that other users changed. Changes in other cells are not conflicts. */
async function findConflicts(
  { slug, book, columns }: Target,
  { sets }: Change,
): Promise<readonly RefusedCell[]> {
  const fields = ["id", ...new Set(sets.map(({ field }) => field))].join(",");
  const ids = [...new Set(sets.map(({ id }) => id))].filter((id) => !isDraft(id));
  const found = await readRows(slug, ids, { fields });
  const current = new Map(found.map((record) => [String(record["id"]), record]));
  for (const [id, { revision }] of current) book.noteRevision(id, Number(revision));
  const gone = ids.filter((id) => !current.has(id));
  for (const id of gone) book.remove(id);
  const changed = sets.flatMap(({ id, field, before, after }): readonly RefusedCell[] => {
    const record = current.get(id);
    const theirs = record?.[field] ?? null;
    if (!record || isSame(theirs, before) || isSame(theirs, after)) return [];
    const column = columns.find(({ name }) => name === field);
    const words = column ? toText(column, theirs, (one) => book.names.get(one)) : asText(theirs);
    const message = `Another user changed this cell to “${words || "empty"}”.`;
    return [{ id, field, message, theirs }];
  });
  const deleted = gone.map((id) => ({
    id,
    field: "",
    message: "Another user deleted this record.",
  }));
  return [...deleted, ...changed];
}

/** Loads the current state of records by id. */
export async function readRows(
  slug: string,
  ids: readonly string[],
  { expand = "", fields = "" }: { readonly expand?: string; readonly fields?: string } = {},
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const parts: string[][] = [];
  for (let n = 0; n < ids.length; n += READ_MAX) parts.push(ids.slice(n, n + READ_MAX));
  const rows: Readonly<Record<string, unknown>>[] = [];
  const readParts = async (): Promise<void> => {
    for (let part = parts.shift(); part; part = parts.shift()) {
      const filter = JSON.stringify({ id: { in: part } });
      const query = {
        filter,
        limit: READ_MAX,
        ...(expand !== "" && { expand }),
        ...(fields !== "" && { fields }),
      };
      const { data } = await call("records.list", { params: { slug }, query });
      rows.push(...(data as readonly Readonly<Record<string, unknown>>[]));
      // A page of large records can contain fewer than requested.
      const found = new Set(data.map(({ id }) => id));
      const last = data.length > 0 && data.length < part.length;
      const left = last ? part.filter((id) => !found.has(id)) : [];
      if (left.length > 0) parts.push(left);
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readParts));
  return rows;
}
