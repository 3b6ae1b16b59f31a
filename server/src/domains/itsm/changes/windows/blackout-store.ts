import type { Tx } from "#kernel/db/connection.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { ListDefinition } from "#kernel/list/list.ts";
import type { BlackoutWindow } from "./blackout.ts";
import type { Window } from "./window.ts";

const COLUMNS = `
  id, name, starts_at as start, ends_at as end, item_ids as "ciIds", reason,
  created_by as "createdBy", revision, created_at as "createdAt", updated_at as "updatedAt"`;

export const blackoutList: ListDefinition = {
  name: "blackout windows",
  from: "blackout_windows",
  select: COLUMNS,
  fields: {
    no: { sql: "no", kind: "number", type: "bigint" },
    name: { sql: "name", kind: "text" },
    reason: { sql: "reason", kind: "text" },
    start: { sql: "starts_at", kind: "time" },
    end: { sql: "ends_at", kind: "time" },
    ciIds: { sql: "item_ids", kind: "texts" },
    createdBy: { sql: "created_by", kind: "text" },
    createdAt: { sql: "created_at", kind: "time" },
    updatedAt: { sql: "updated_at", kind: "time" },
  },
  search: ["name", "reason"],
  order: "-start",
  tieBreaker: "no",
};

const OVERLAPPING = `
  select ${COLUMNS} from blackout_windows where ends_at > $1 and starts_at < $2`;
const CONCERNING = "and (cardinality(item_ids) = 0 or item_ids && $3::text[])";

/** Finds the blackout windows that overlap a window; with items, those that concern one of them. */
export async function findBlackouts(
  tx: Tx,
  { start, end }: Window,
  { itemIds, limit }: { readonly itemIds?: readonly string[]; readonly limit: number },
): Promise<BlackoutWindow[]> {
  const text = `${OVERLAPPING} ${itemIds ? CONCERNING : ""} order by starts_at, no limit ${limit}`;
  const rows = await queryRows(tx, text, itemIds ? [start, end, itemIds] : [start, end]);
  return rows.map(toWindow);
}

const AT_MOMENT = `
  select ${COLUMNS} from blackout_windows where ends_at > $1 and starts_at <= $1
     and (cardinality(item_ids) = 0 or item_ids && $2::text[]) order by starts_at, no limit 20`;

/** Finds the blackout windows that forbid to change one of these items at this moment. */
export async function findBlackoutsAt(
  tx: Tx,
  moment: Date,
  itemIds: readonly string[],
): Promise<BlackoutWindow[]> {
  return (await queryRows(tx, AT_MOMENT, [moment, itemIds])).map(toWindow);
}

export async function get(tx: Tx, id: string, lock = ""): Promise<BlackoutWindow> {
  const [row] = await queryRows(
    tx,
    `select ${COLUMNS} from blackout_windows where id = $1${lock}`,
    [id],
  );
  if (!row) throw new Failure(NotFound);
  return toWindow(row);
}

/** Locks the row until the transaction ends. */
export function lock(tx: Tx, id: string): Promise<BlackoutWindow> {
  return get(tx, id, " for update");
}

export async function insert(tx: Tx, window: BlackoutWindow): Promise<void> {
  const { id, createdBy, createdAt } = window;
  await tx
    .insertInto("blackout_windows")
    .values({ id, created_by: createdBy, created_at: createdAt, ...rowOf(window) })
    .execute();
}

export async function save(tx: Tx, window: BlackoutWindow): Promise<void> {
  await tx.updateTable("blackout_windows").set(rowOf(window)).where("id", "=", window.id).execute();
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("blackout_windows").where("id", "=", id).execute();
}

function rowOf({ name, reason, start, end, ciIds, revision, updatedAt }: BlackoutWindow) {
  return {
    name,
    reason,
    starts_at: start,
    ends_at: end,
    item_ids: ciIds,
    revision,
    updated_at: updatedAt,
  };
}

/** A row of the columns above, which are the fields. */
export function toWindow(row: SqlRow): BlackoutWindow {
  return row as unknown as BlackoutWindow;
}
