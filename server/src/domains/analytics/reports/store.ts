import type { Insertable, Selectable, Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../tables.ts";
import type { Definition, Report } from "./report.ts";

const SHOWN = [
  "id",
  "name",
  "description",
  "definition",
  "revision",
  "created_by",
  "created_at",
  "updated_at",
] as const;
type Row = Pick<Selectable<Tables["reports"]>, (typeof SHOWN)[number]>;

/** A report, and what of it is run. */
export type StoredReport = Report & { readonly definition: Definition };

export async function insert(tx: Tx, row: Insertable<Tables["reports"]>): Promise<StoredReport> {
  return toReport(
    await tx.insertInto("reports").values(row).returning(SHOWN).executeTakeFirstOrThrow(),
  );
}

export async function find(tx: Tx, id: string): Promise<StoredReport | undefined> {
  const row = await byId(tx, id).executeTakeFirst();
  return row && toReport(row);
}

export async function findByName(tx: Tx, name: string): Promise<StoredReport | undefined> {
  const row = await tx
    .selectFrom("reports")
    .select(SHOWN)
    .where("name", "=", name)
    .executeTakeFirst();
  return row && toReport(row);
}

export async function get(tx: Tx, id: string): Promise<StoredReport> {
  return found(await byId(tx, id).executeTakeFirst());
}

/** Locks the row, so that two changes take turns. */
export async function lock(tx: Tx, id: string): Promise<StoredReport> {
  return found(await byId(tx, id).forUpdate().executeTakeFirst());
}

/** Keeps reports from being deleted until this transaction ends; tells which of them there are. */
export async function hold(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom("reports")
    .select("id")
    .where("id", "in", ids)
    .orderBy("id")
    .forShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function update(
  tx: Tx,
  id: string,
  change: Updateable<Tables["reports"]>,
): Promise<StoredReport> {
  return toReport(
    await tx
      .updateTable("reports")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("id", "=", id)
      .returning(SHOWN)
      .executeTakeFirstOrThrow(),
  );
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("reports").where("id", "=", id).execute();
}

/** Newest first; `before` is the id of the last one of the page before. */
export async function list(
  tx: Tx,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<StoredReport[]> {
  const rows = await tx
    .selectFrom("reports")
    .select(SHOWN)
    .$if(before !== undefined, (query) => query.where("id", "<", before ?? ""))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toReport);
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("reports")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

function byId(tx: Tx, id: string) {
  return tx.selectFrom("reports").select(SHOWN).where("id", "=", id);
}

function found(row: Row | undefined): StoredReport {
  if (!row) throw new Failure(NotFound);
  return toReport(row);
}

function toReport({ created_by, created_at, updated_at, ...row }: Row): StoredReport {
  // Only what was checked is ever stored.
  const definition = row.definition as Definition;
  return {
    ...row,
    ...(definition as Omit<Report, "id">),
    definition,
    createdBy: created_by,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}
