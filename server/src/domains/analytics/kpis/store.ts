import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../../tables.ts";
import type { RunAs } from "../run-as.ts";
import type { Kpi, Measure } from "./kpi.ts";

type Row = Selectable<Tables["kpis"]>;

/** A KPI, and whose rights its snapshots have. */
export type StoredKpi = Kpi & RunAs & { readonly measure: Measure };

export async function insert(tx: Tx, row: Insertable<Tables["kpis"]>): Promise<StoredKpi> {
  return toKpi(await tx.insertInto("kpis").values(row).returningAll().executeTakeFirstOrThrow());
}

export async function find(tx: Tx, id: string): Promise<StoredKpi | undefined> {
  const row = await byId(tx, id).executeTakeFirst();
  return row && toKpi(row);
}

export async function findByName(tx: Tx, name: string): Promise<StoredKpi | undefined> {
  const row = await tx.selectFrom("kpis").selectAll().where("name", "=", name).executeTakeFirst();
  return row && toKpi(row);
}

export async function get(tx: Tx, id: string): Promise<StoredKpi> {
  return found(await byId(tx, id).executeTakeFirst());
}

/** Locks the row, so that changes and snapshots take turns. */
export async function lock(tx: Tx, id: string): Promise<StoredKpi> {
  return found(await byId(tx, id).forUpdate().executeTakeFirst());
}

/** The same where it may be gone. */
export async function lockIfThere(tx: Tx, id: string): Promise<StoredKpi | undefined> {
  const row = await byId(tx, id).forUpdate().executeTakeFirst();
  return row && toKpi(row);
}

/** Locks those that show a report. */
export async function lockThoseOf(tx: Tx, reportId: string): Promise<StoredKpi[]> {
  const rows = await tx
    .selectFrom("kpis")
    .selectAll()
    .where(sql<boolean>`measure ->> 'reportId' = ${reportId}`)
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map(toKpi);
}

/** Keeps KPIs from being deleted until this transaction ends; tells which of them there are. */
export async function hold(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom("kpis")
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
  change: Updateable<Tables["kpis"]>,
): Promise<StoredKpi> {
  return toKpi(
    await tx
      .updateTable("kpis")
      .set(change)
      .set((row) => ({ revision: row("revision", "+", 1) }))
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("kpis").where("id", "=", id).execute();
}

/** Newest first; `before` is the id of the last one of the page before. */
export async function list(
  tx: Tx,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<StoredKpi[]> {
  const rows = await tx
    .selectFrom("kpis")
    .selectAll()
    .$if(before !== undefined, (query) => query.where("id", "<", before ?? ""))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toKpi);
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("kpis")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

/** The names of dashboards that show it. */
export async function dashboardsWith(tx: Tx, id: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from dashboards where widgets @> ${JSON.stringify([{ kpiId: id }])}::jsonb
    limit 10`.execute(tx);
  return rows.map(({ name }) => name);
}

function byId(tx: Tx, id: string) {
  return tx.selectFrom("kpis").selectAll().where("id", "=", id);
}

function found(row: Row | undefined): StoredKpi {
  if (!row) throw new Failure(NotFound);
  return toKpi(row);
}

function toKpi(row: Row): StoredKpi {
  // Only what was checked is ever stored.
  const measure = row.measure as Measure;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    ...measure,
    measure,
    target: row.target,
    direction: row.direction as Kpi["direction"],
    schedule: { cron: row.cron, timezone: row.timezone },
    unit: row.unit,
    runAs: row.run_as,
    permissions: row.permissions,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}
