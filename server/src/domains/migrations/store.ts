import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import type { Tables } from "../../tables.ts";
import type { Migration, MigrationStep, MigrationStatus, StatusError } from "./migration.ts";

/** The state of a migration in one environment. */
export interface MigrationState {
  readonly status: MigrationStatus;
  readonly checksum: string;
  readonly inverse: readonly MigrationStep[] | null;
  readonly statements: readonly string[];
  readonly error: StatusError | null;
}

/** The columns of a list, without the steps, which may be long. */
const SUMMARY_COLUMNS = [
  "id",
  "number",
  "name",
  "checksum",
  "revision",
  "created_by",
  "created_at",
  "updated_at",
] as const;
const MIGRATION_COLUMNS = [...SUMMARY_COLUMNS, "up", "down"] as const;
type SummaryRow = Pick<Selectable<Tables["table_migrations"]>, (typeof SUMMARY_COLUMNS)[number]>;
type MigrationRow = Pick<
  Selectable<Tables["table_migrations"]>,
  (typeof MIGRATION_COLUMNS)[number]
>;
export type Summary = Omit<Migration, "up" | "down" | "statements">;

const ENVIRONMENT_SQL = sql<never>`current_setting('millrace.environment')::environment`;

/** Returns the next number; serializes creations until the transaction ends. */
export async function nextNumber(tx: Tx): Promise<number> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(
      'migrations of ' || current_setting('millrace.workspace'), 0))`.execute(tx);
  const { last } = await tx
    .selectFrom("table_migrations")
    .select((row) => row.fn.max("number").as("last"))
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}

export async function count(tx: Tx): Promise<number> {
  const { n } = await tx
    .selectFrom("table_migrations")
    .select((row) => row.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return n;
}

export async function insert(
  tx: Tx,
  row: Insertable<Tables["table_migrations"]>,
): Promise<Migration> {
  await tx.insertInto("table_migrations").values(row).execute();
  return get(tx, row.id);
}

export async function get(tx: Tx, id: string): Promise<Migration> {
  return toMigration(tx, await byId(tx, id).executeTakeFirst());
}

/** Locks the row until the transaction ends. */
export async function lock(tx: Tx, id: string): Promise<Migration> {
  return toMigration(tx, await byId(tx, id).forUpdate().executeTakeFirst());
}

/** A page, newest first, before a number. */
export async function list(
  tx: Tx,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<Summary[]> {
  const rows = await tx
    .selectFrom("table_migrations")
    .select(SUMMARY_COLUMNS)
    .where("number", "<", before)
    .orderBy("number", "desc")
    .limit(limit)
    .execute();
  return toSummaries(tx, rows);
}

/** Updates it, or at least its revision. */
export async function update(
  tx: Tx,
  id: string,
  change: Updateable<Tables["table_migrations"]>,
): Promise<Migration> {
  await tx
    .updateTable("table_migrations")
    .set(change)
    .set((row) => ({ revision: row("revision", "+", 1) }))
    .where("id", "=", id)
    .execute();
  return get(tx, id);
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("table_migrations").where("id", "=", id).execute();
}

/** Removes its states in all environments. */
export async function removeStates(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("table_migration_states").where("migration_id", "=", id).execute();
}

/** The state in the environment of the transaction; undefined if pending. */
export async function findState(tx: Tx, id: string): Promise<MigrationState | undefined> {
  const row = await tx
    .selectFrom("table_migration_states")
    .select(["status", "checksum", "inverse", "statements", "error"])
    .where("migration_id", "=", id)
    .where("environment", "=", ENVIRONMENT_SQL)
    .executeTakeFirst();
  // Only this file writes there.
  return row as MigrationState | undefined;
}

export async function setState(
  tx: Tx,
  id: string,
  state: MigrationState & { readonly changedBy: string; readonly changedAt: Date },
): Promise<void> {
  const { status, checksum, changedBy, changedAt } = state;
  const row = {
    status,
    checksum,
    inverse: state.inverse && JSON.stringify(state.inverse),
    statements: JSON.stringify(state.statements),
    error: state.error && JSON.stringify(state.error),
    changed_by: changedBy,
    changed_at: changedAt,
  };
  await tx
    .insertInto("table_migration_states")
    .values({ migration_id: id, ...row })
    .onConflict((conflict) => conflict.columns(["migration_id", "environment"]).doUpdateSet(row))
    .execute();
}

/** The first unapplied migration before this number, and the last applied one. */
export async function neighbours(
  tx: Tx,
  number: number,
): Promise<{
  missing: { number: number; status: MigrationStatus } | undefined;
  newest: number | undefined;
}> {
  const { rows } = await sql<{
    number: number;
    status: MigrationStatus;
    which: "missing" | "newest";
  }>`
    with here as (
      select m.number, coalesce(s.status, 'pending') as status
        from table_migrations m
        left join table_migration_states s on s.migration_id = m.id and s.environment = ${ENVIRONMENT_SQL})
    (select number, status, 'missing' as which from here
      where number < ${number} and status <> 'applied' order by number limit 1)
    union all
    (select number, status, 'newest' from here
      where status = 'applied' order by number desc limit 1)`.execute(tx);
  return {
    missing: rows.find(({ which }) => which === "missing"),
    newest: rows.find(({ which }) => which === "newest")?.number,
  };
}

function byId(tx: Tx, id: string) {
  return tx.selectFrom("table_migrations").select(MIGRATION_COLUMNS).where("id", "=", id);
}

async function toMigration(tx: Tx, row: MigrationRow | undefined): Promise<Migration> {
  if (!row) throw new Failure(NotFound);
  const { up, down, ...rest } = row;
  const [summary] = await toSummaries(tx, [rest]);
  if (!summary) throw new Failure(NotFound);
  const { statements = [] } = (await findState(tx, row.id)) ?? {};
  return {
    ...summary,
    // Only steps that were checked are ever stored.
    up: up as unknown as MigrationStep[],
    down: down as unknown as MigrationStep[] | null,
    statements: [...statements],
  };
}

/** Adds the states in all environments. */
async function toSummaries(tx: Tx, rows: readonly SummaryRow[]): Promise<Summary[]> {
  if (rows.length === 0) return [];
  const states = await tx
    .selectFrom("table_migration_states")
    .select(["migration_id", "environment", "status", "error", "changed_at"])
    .select(sql<boolean>`environment = ${ENVIRONMENT_SQL}`.as("here"))
    .where(
      "migration_id",
      "in",
      rows.map(({ id }) => id),
    )
    .execute();
  const byMigration = Map.groupBy(states, (state) => state.migration_id);
  return rows.map(({ created_by, created_at, updated_at, ...row }) => {
    const own = byMigration.get(row.id) ?? [];
    const here = own.find((state) => state.here);
    const statusIn = (name: string) =>
      (own.find(({ environment }) => environment === name)?.status ?? "pending") as MigrationStatus;
    return {
      ...row,
      status: (here?.status ?? "pending") as MigrationStatus,
      statuses: {
        production: statusIn("production"),
        staging: statusIn("staging"),
        development: statusIn("development"),
      },
      statusChangedAt: here?.changed_at ?? null,
      error: (here?.error ?? null) as StatusError | null,
      createdBy: created_by,
      createdAt: created_at,
      updatedAt: updated_at,
    };
  });
}
