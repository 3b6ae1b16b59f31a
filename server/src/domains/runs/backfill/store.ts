import { type Selectable, sql } from "kysely";
import type { Backfill } from "#domains/workflows/index.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { Tables } from "../../../tables.ts";

export type BackfillRow = Selectable<Tables["backfills"]>;

export async function findBackfill(tx: Tx, id: string): Promise<BackfillRow | undefined> {
  return tx.selectFrom("backfills").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function lockBackfill(tx: Tx, id: string): Promise<BackfillRow | undefined> {
  const query = tx.selectFrom("backfills").selectAll().where("id", "=", id);
  return query.forUpdate().executeTakeFirst();
}

export async function readBackfills(
  tx: Tx,
  workflowId: string,
  last: string | undefined,
  limit: number,
): Promise<Backfill[]> {
  const all = tx.selectFrom("backfills").selectAll().where("workflow_id", "=", workflowId);
  const rest = last === undefined ? all : all.where("id", "<", last);
  return (await rest.orderBy("id", "desc").limit(limit).execute()).map(toBackfill);
}

/** Deletes the rows of ended runs. The position of the backfill records which items have run. */
export async function forgetEndedRuns(tx: Tx, id: string): Promise<void> {
  const statement = sql`
    delete from backfill_runs b
     where b.backfill_id = ${id} and not exists (
       select from runs r
        where r.id = b.run_id and r.status in ('queued', 'running', 'waiting', 'paused'))`;
  await statement.execute(tx);
}

/** Runs of a backfill whose rows are not deleted yet. */
export async function countActive(tx: Tx, id: string): Promise<number> {
  const { count } = await tx
    .selectFrom("backfill_runs as b")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("b.backfill_id", "=", id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes the run rows of an ended backfill; they are no longer counted. */
export async function forgetRuns(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("backfill_runs").where("backfill_id", "=", id).execute();
}

/** Counts the unfinished backfills of the environment. */
export async function countRunning(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom("backfills")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("state", "=", "running")
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function toBackfill(row: BackfillRow): Backfill {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    triggerId: row.trigger_id,
    triggerType: row.trigger_type as Backfill["triggerType"],
    state: row.state as Backfill["state"],
    from: row.begins_at,
    to: row.ends_at,
    filter: (row.filter ?? null) as Condition | null,
    maxConcurrency: row.max_concurrency,
    scanned: row.scanned,
    started: row.started,
    reason: row.reason,
    createdBy: row.created_by,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
