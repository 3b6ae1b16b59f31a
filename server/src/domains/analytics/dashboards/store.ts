import type { Insertable, Selectable, Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../tables.ts";
import type { Dashboard, Widget } from "./dashboard.ts";

type Row = Selectable<Tables["dashboards"]>;

export async function insert(tx: Tx, row: Insertable<Tables["dashboards"]>): Promise<Dashboard> {
  return toDashboard(
    await tx.insertInto("dashboards").values(row).returningAll().executeTakeFirstOrThrow(),
  );
}

export async function find(tx: Tx, id: string): Promise<Dashboard | undefined> {
  const row = await byId(tx, id).executeTakeFirst();
  return row && toDashboard(row);
}

export async function findByName(tx: Tx, name: string): Promise<Dashboard | undefined> {
  const row = await tx
    .selectFrom("dashboards")
    .selectAll()
    .where("name", "=", name)
    .executeTakeFirst();
  return row && toDashboard(row);
}

export async function get(tx: Tx, id: string): Promise<Dashboard> {
  return found(await byId(tx, id).executeTakeFirst());
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, id: string): Promise<Dashboard> {
  return found(await byId(tx, id).forUpdate().executeTakeFirst());
}

export async function update(
  tx: Tx,
  id: string,
  change: Updateable<Tables["dashboards"]>,
): Promise<Dashboard> {
  return toDashboard(
    await tx
      .updateTable("dashboards")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("dashboards").where("id", "=", id).execute();
}

/** Newest first; `before` is the id of the last one of the page before. */
export async function list(
  tx: Tx,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<Dashboard[]> {
  const rows = await tx
    .selectFrom("dashboards")
    .selectAll()
    .$if(before !== undefined, (query) => query.where("id", "<", before ?? ""))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toDashboard);
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("dashboards")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

function byId(tx: Tx, id: string) {
  return tx.selectFrom("dashboards").selectAll().where("id", "=", id);
}

function found(row: Row | undefined): Dashboard {
  if (!row) throw new Failure(NotFound);
  return toDashboard(row);
}

function toDashboard(row: Row): Dashboard {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    // Only what was checked is ever stored.
    widgets: row.widgets as Widget[],
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}
