import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { titleFromName } from "./columns/naming/column-title.ts";
import type { Column, Rule, Table, TableIndex } from "./table.ts";

const SELECTED = [
  "id",
  "slug",
  "name",
  "description",
  "columns",
  "indexes",
  "rules",
  "revision",
  "renamed_revision as renamedRevision",
  "shape",
  "created_by as createdBy",
  "created_at as createdAt",
  "updated_at as updatedAt",
] as const;

interface TableRow extends Omit<Table, "columns" | "indexes" | "rules"> {
  readonly columns: unknown;
  readonly indexes: unknown;
  readonly rules: unknown;
}

export async function findTable(tx: Tx, slug: string): Promise<Table | undefined> {
  const row = await tx
    .selectFrom("user_tables")
    .select(SELECTED)
    .where("slug", "=", slug)
    .executeTakeFirst();
  return row && toTable(row);
}

export async function findTableById(tx: Tx, id: string): Promise<Table | undefined> {
  const row = await tx
    .selectFrom("user_tables")
    .select(SELECTED)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toTable(row);
}

/** Lists the partition's tables by slug. Their number is limited. */
export async function listTables(tx: Tx): Promise<Table[]> {
  const rows = await tx.selectFrom("user_tables").select(SELECTED).orderBy("slug").execute();
  return rows.map(toTable);
}

/** A page of tables, newest first, before an id. */
export async function listTablePage(
  tx: Tx,
  { before, limit }: { readonly before: string; readonly limit: number },
): Promise<Table[]> {
  const rows = await tx
    .selectFrom("user_tables")
    .select(SELECTED)
    .where("id", "<", before)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(toTable);
}

/** Lists the table revisions by id. */
export async function listRevisions(tx: Tx): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.selectFrom("user_tables").select(["id", "revision"]).execute();
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}

/** The number of tables in the partition. */
export async function countTables(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom("user_tables")
    .select((row) => row.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Serialises structural changes in a partition until the transaction ends. */
export async function lockStructure(tx: Tx): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(
      'structure of ' || current_setting('millrace.workspace') || current_setting('millrace.environment'),
      0))`.execute(tx);
}

/** Locks a table's row until the transaction ends. */
export async function lockTable(tx: Tx, slug: string): Promise<Table | undefined> {
  const row = await tx
    .selectFrom("user_tables")
    .select(SELECTED)
    .where("slug", "=", slug)
    .forUpdate()
    .executeTakeFirst();
  return row && toTable(row);
}

/** Locks the tables with some slugs, and those with a column that refers to one of the other slugs. */
export async function lockTables(
  tx: Tx,
  { slugs, referringTo }: { readonly slugs: string[]; readonly referringTo: string[] },
): Promise<Table[]> {
  const rows = await tx
    .selectFrom("user_tables")
    .select(SELECTED)
    .where(
      sql<boolean>`slug = any (${slugs}) or (cardinality(${referringTo}::text[]) > 0 and exists (
        select from jsonb_array_elements(columns) as c
         where c ->> 'type' in ('reference', 'links') and c -> 'options' ->> 'table' = any (${referringTo})))`,
    )
    .orderBy("slug")
    .forUpdate()
    .execute();
  return rows.map(toTable);
}

export async function insertTable(tx: Tx, table: Table): Promise<Table> {
  const { id, slug, name, createdBy, createdAt, updatedAt } = table;
  const row = await tx
    .insertInto("user_tables")
    .values({
      id,
      slug,
      name,
      ...toColumns(table),
      created_by: createdBy,
      created_at: createdAt,
      updated_at: updatedAt,
    })
    .returning(SELECTED)
    .executeTakeFirstOrThrow();
  return toTable(row);
}

export async function updateTable(tx: Tx, table: Table, now: Date): Promise<Table> {
  const row = await tx
    .updateTable("user_tables")
    .set({ name: table.name, ...toColumns(table), updated_at: now })
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", table.id)
    .returning(SELECTED)
    .executeTakeFirstOrThrow();
  return toTable(row);
}

export async function removeTable(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("user_tables").where("id", "=", id).execute();
}

/** Only definitions that were checked are ever stored. */
export function toTable(row: TableRow): Table {
  return {
    ...row,
    // Columns of earlier releases have no title.
    columns: (row.columns as (Omit<Column, "title"> & Partial<Column>)[]).map((column) => ({
      ...column,
      title: column.title ?? titleFromName(column.name),
    })),
    indexes: row.indexes as TableIndex[],
    rules: row.rules as Rule[],
  };
}

function toColumns({ description, columns, indexes, rules, renamedRevision, shape }: Table) {
  return {
    description,
    renamed_revision: renamedRevision,
    shape,
    columns: JSON.stringify(columns),
    indexes: JSON.stringify(indexes),
    rules: JSON.stringify(rules),
  };
}
