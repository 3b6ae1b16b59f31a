import { sql } from "kysely";
import type { Tx } from "#kernel/db/connection.ts";
import { foldJournal, type JournalLine, type JournalRecord } from "../engine/journal-record.ts";

/** Records without what steps read and wrote. To take fields away is three times as quick as to pick some. */
const OUTLINE = sql.raw("r - '{input,output,logs,page,answer,wait}'::text[]");

/** The latest records of a run's steps without their inputs and outputs, which may be megabytes. */
export async function readJournalOutline(
  tx: Tx,
  runId: string,
): Promise<ReadonlyMap<string, JournalRecord>> {
  const { rows } = await sql<{ records: readonly JournalLine[] }>`
    select (select jsonb_agg(${OUTLINE} order by n)
              from jsonb_array_elements(j.records) with ordinality as line (r, n)
             where not r ? 'told') as records
      from run_journal j where j.run_id = ${runId} order by j.entry`.execute(tx);
  return foldJournal(rows.flatMap(({ records }) => records ?? []));
}

/** The lines of the journal about some steps, with the times at which they were written. */
export async function readStepLines(
  tx: Tx,
  runId: string,
  paths: readonly string[],
): Promise<readonly { readonly line: JournalLine; readonly at: string }[]> {
  const { rows } = await sql<{ line: JournalLine; at: string }>`
    select line.r as line, j.written_at as at
      from run_journal j cross join lateral jsonb_array_elements(j.records) with ordinality as line (r, n)
     where j.run_id = ${runId} and line.r ->> 'path' = any (${paths}::text[])
     order by j.entry, line.n`.execute(tx);
  return rows;
}
