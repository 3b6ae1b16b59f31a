import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { Actor } from "#kernel/log/event.ts";
import type { JournalLine } from "../engine/journal-record.ts";

/** The newest runs, or the named runs. */
export type RunChoice = { readonly last: number } | { readonly ids: readonly string[] };

/** An ended run and its stored size. */
export interface KeptRunSize {
  readonly id: string;
  readonly runAs: string;
  readonly bytes: number;
}

/** An ended run with its journal. */
export interface KeptRun {
  readonly id: string;
  readonly workflowId: string;
  readonly versionId: string;
  readonly triggerType: string;
  readonly trigger: Readonly<Record<string, unknown>>;
  readonly status: "completed" | "failed";
  readonly output: unknown;
  readonly error: { readonly code: string; readonly path?: string } | undefined;
  readonly actor: Actor;
  readonly runAs: string;
  readonly createdAt: string;
  readonly lines: readonly JournalLine[];
}

/** Lists completed and failed runs, newest first. Test runs are excluded. */
export async function listKeptRuns(
  tx: Tx,
  workflowId: string,
  choice: RunChoice,
): Promise<KeptRunSize[]> {
  const chosen =
    "last" in choice
      ? sql`true order by r.id desc limit ${choice.last}`
      : sql`r.id = any (${choice.ids}::text[]) order by r.id desc`;
  const { rows } = await sql<KeptRunSize>`
    select r.id, r.run_as as "runAs",
           (coalesce(pg_column_size(r.trigger), 0) + coalesce(pg_column_size(r.output), 0)
            + coalesce((select sum(pg_column_size(j.records)) from run_journal j where j.run_id = r.id), 0))::int as bytes
      from (select * from runs r
             where r.workflow_id = ${workflowId} and r.test is null
               and r.status in ('completed', 'failed') and ${chosen}) r
     order by r.id desc`.execute(tx);
  return rows;
}

interface Row extends Omit<KeptRun, "lines" | "error"> {
  readonly error: KeptRun["error"] | null;
  readonly records: readonly (readonly JournalLine[])[] | null;
}

/** Reads runs with journals, newest first. */
export async function readKeptRuns(tx: Tx, ids: readonly string[]): Promise<KeptRun[]> {
  const { rows } = await sql<Row>`
    select r.id, r.workflow_id as "workflowId", r.version_id as "versionId",
           r.trigger_type as "triggerType", r.trigger, r.status, r.output, r.error, r.actor,
           r.run_as as "runAs", r.created_at as "createdAt",
           (select jsonb_agg(j.records order by j.entry) from run_journal j where j.run_id = r.id) as records
      from runs r where r.id = any (${ids}::text[]) order by r.id desc`.execute(tx);
  return rows.map(({ records, error, ...run }) => ({
    ...run,
    error: error ?? undefined,
    lines: (records ?? []).flat(),
  }));
}
