import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../tables.ts";
import type { Parameter } from "./parameter.ts";
import type { SavedQuery } from "./saved-query.ts";

const SELECTED = [
  "id",
  "name",
  "description",
  "sql",
  "parameters",
  "revision",
  "created_by",
  "created_at",
  "updated_at",
] as const;
type Row = Pick<Selectable<Tables["saved_queries"]>, (typeof SELECTED)[number]>;

export async function insert(
  tx: Tx,
  row: Insertable<Tables["saved_queries"]>,
): Promise<SavedQuery> {
  return toQuery(
    await tx.insertInto("saved_queries").values(row).returning(SELECTED).executeTakeFirstOrThrow(),
  );
}

export async function find(tx: Tx, id: string): Promise<SavedQuery | undefined> {
  const row = await byId(tx, id).executeTakeFirst();
  return row && toQuery(row);
}

export async function findByName(tx: Tx, name: string): Promise<SavedQuery | undefined> {
  const row = await tx
    .selectFrom("saved_queries")
    .select(SELECTED)
    .where("name", "=", name)
    .executeTakeFirst();
  return row && toQuery(row);
}

export async function get(tx: Tx, id: string): Promise<SavedQuery> {
  return requireQuery(await byId(tx, id).executeTakeFirst());
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, id: string): Promise<SavedQuery> {
  return requireQuery(await byId(tx, id).forUpdate().executeTakeFirst());
}

export async function update(
  tx: Tx,
  id: string,
  change: Updateable<Tables["saved_queries"]>,
): Promise<SavedQuery> {
  return toQuery(
    await tx
      .updateTable("saved_queries")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("id", "=", id)
      .returning(SELECTED)
      .executeTakeFirstOrThrow(),
  );
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("saved_queries").where("id", "=", id).execute();
}

/** A page, newest first, before an id. */
export async function list(
  tx: Tx,
  page: { readonly before: string | undefined; readonly limit: number },
): Promise<SavedQuery[]> {
  const { before } = page;
  const rows = await tx
    .selectFrom("saved_queries")
    .select(SELECTED)
    .$if(before !== undefined, (query) => query.where("id", "<", before ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
  return rows.map(toQuery);
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("saved_queries")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

/** Serializes creations in this workspace until the transaction ends, so that they can be counted. */
export async function lockCount(tx: Tx): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(
      hashtextextended('queries of ' || current_setting('millrace.workspace'), 0))`.execute(tx);
}

function byId(tx: Tx, id: string) {
  return tx.selectFrom("saved_queries").select(SELECTED).where("id", "=", id);
}

function requireQuery(row: Row | undefined): SavedQuery {
  if (!row) throw new Failure(NotFound);
  return toQuery(row);
}

function toQuery({ created_by, created_at, updated_at, parameters, ...row }: Row): SavedQuery {
  return {
    ...row,
    // Only parameters that were checked are ever stored.
    parameters: parameters as unknown as Parameter[],
    createdBy: created_by,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
