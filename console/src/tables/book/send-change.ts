/** Sends changes of a grid to the server, each as one request: all of it is saved, or nothing. */
import { ApiError, call, correlationOf, type Reply } from "../../data/api.ts";
import { asText, isSame, toText } from "../column/value.ts";
import type { GridColumn } from "../column/column.ts";
import { type Change, groupSets, type PlacedRow } from "./change.ts";
import { cellKey, isDraft, type RowBook } from "./row-book.ts";

const READ_MAX = 200;
const READS_AT_ONCE = 3;
const CHANGED_MEANWHILE = "Someone else changed these records meanwhile.";
/** Times that a change is sent again because others changed other cells of its records. */
const TRIES = 3;

export interface Target {
  readonly slug: string;
  readonly book: RowBook;
  readonly columns: readonly GridColumn[];
  /** The correlations by which records were deleted: undo restores them by it, with their ids. */
  readonly deletions: Map<string, string>;
  /** Tells that records have other ids now. */
  readonly onRename: (names: ReadonlyMap<string, string>) => void;
}

/** A cell because of which a change was refused; without a field it is the whole record. */
export interface RefusedCell {
  readonly id: string;
  readonly field: string;
  readonly message: string;
  /** Somebody else's value, where the two are at odds. */
  readonly theirs?: unknown;
}

/** Why nothing of a change was saved. */
export interface Refusal {
  readonly message: string;
  readonly cells: readonly RefusedCell[];
}

/** Sends a change; returns why it was refused, in which case the server has none of it. */
export async function sendChange(target: Target, change: Change): Promise<Refusal | undefined> {
  const created = await restoreDeleted(target, change.created);
  return send(target, { ...change, created }, TRIES);
}

/** Restores what was deleted, with its id and all that refers to it; returns the others, to be made anew. */
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

/** The request of a change: what each entry of its lists is about. */
interface Request {
  readonly create: readonly PlacedRow[];
  readonly edit: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
  readonly deleted: readonly string[];
}

function toRequest(target: Target, { sets, created, deleted }: Change): Request {
  const { book } = target;
  const drafts = new Map(created.map((placed) => [placed.row.id, placed]));
  // A draft is made as soon as it has all that it needs.
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
  // The record may be changed by others since this change was made on another list: its cells are compared first.
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

/** Finds the cells of an answer's paths: `/edit/3/set/price`, `/create/0/name`. */
function toRefusal(error: ApiError, { create, edit }: Request): Refusal {
  const cells = error.errors.flatMap(({ path, message }): readonly RefusedCell[] => {
    const [, list, at = "", ...rest] = path.split("/");
    const id = list === "edit" ? edit[Number(at)]?.[0] : create[Number(at)]?.row.id;
    const field = (list === "edit" ? rest[1] : rest[0]) ?? "";
    return id === undefined ? [] : [{ id, field, message }];
  });
  return { message: error.message, cells };
}

/** The fields that must have a value and have none. */
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

/** Reads the records that others changed. What they changed in other cells is no conflict. */
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
    const message = `Someone else wrote “${words || "nothing"}” here meanwhile.`;
    return [{ id, field, message, theirs }];
  });
  const deleted = gone.map((id) => ({
    id,
    field: "",
    message: "Someone else deleted this record.",
  }));
  return [...deleted, ...changed];
}

/** Reads records by their ids, as they are now. */
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
      // A page of large records holds fewer than were asked for.
      const found = new Set(data.map(({ id }) => id));
      const last = data.length > 0 && data.length < part.length;
      const left = last ? part.filter((id) => !found.has(id)) : [];
      if (left.length > 0) parts.push(left);
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readParts));
  return rows;
}
