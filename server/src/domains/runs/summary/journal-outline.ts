import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import type { JournalLine, JournalRecord } from "../engine/journal-record.ts";

type OutlineRow = Pick<JournalRecord, "path" | "node" | "status" | "attempts"> & {
  readonly [K in "branch" | "items" | "retryAtMs" | "startedAt" | "finishedAt"]:
    | JournalRecord[K]
    | null;
} & { readonly entry: number; readonly hasError: boolean; readonly forgotten: boolean | null };

/** Represents any step error, because the outline only records that an error exists. */
const SOME_ERROR = { code: "", message: "" };

interface OutlineLine {
  readonly record: JournalRecord;
  /** Reverts earlier records of the step. */
  readonly forgotten: boolean;
}

/**
 * The step records of a run from an entry, without inputs and outputs, which can have megabytes. Also returns the
 * number of entries. Columns are extracted from each record in one pass.
 */
export async function readJournalOutline(
  tx: Tx,
  runId: string,
  from: number,
): Promise<{ readonly rows: readonly OutlineLine[]; readonly entries: number }> {
  const { rows } = await sql<OutlineRow>`
    select j.entry, r.path, r.node, r.status, r.attempts, r.branch, r.items, r."retryAtMs", r."startedAt",
           r."finishedAt", r.error is not null as "hasError", r.forgotten
      from run_journal j cross join lateral rows from (jsonb_to_recordset(j.records) as (
             path text, node text, status text, attempts integer, branch text, items integer,
             "retryAtMs" float8, "startedAt" text, "finishedAt" text, error jsonb, forgotten boolean, told boolean
           )) with ordinality r
     where j.run_id = ${runId} and j.entry >= ${from} and r.told is null
     order by j.entry, r.ordinality`.execute(tx);
  return {
    rows: rows.map((row) => ({ record: toOutline(row), forgotten: row.forgotten === true })),
    entries: (rows.at(-1)?.entry ?? from - 1) + 1,
  };
}

function toOutline(row: OutlineRow): JournalRecord {
  const { path, node, status, attempts, branch, items, retryAtMs, startedAt, finishedAt } = row;
  return {
    path,
    node,
    status,
    attempts,
    ...(branch !== null && { branch }),
    ...(items !== null && { items }),
    ...(retryAtMs !== null && { retryAtMs }),
    ...(startedAt !== null && { startedAt }),
    ...(finishedAt !== null && { finishedAt }),
    ...(row.hasError && { error: SOME_ERROR }),
  };
}

/** The journal lines about some steps, optionally before an entry, with their write times. */
export async function readStepLines(
  tx: Tx,
  runId: string,
  paths: readonly string[],
  before?: number,
): Promise<readonly { readonly line: JournalLine; readonly at: string }[]> {
  const { rows } = await sql<{ line: JournalLine; at: string }>`
    select line.r as line, j.written_at as at
      from run_journal j cross join lateral jsonb_array_elements(j.records) with ordinality as line (r, n)
     where j.run_id = ${runId} and line.r ->> 'path' = any (${paths}::text[])
       and (${before ?? null}::integer is null or j.entry < ${before ?? null})
     order by j.entry, line.n`.execute(tx);
  return rows;
}
