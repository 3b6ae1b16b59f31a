/** Undoes an import: deletes created records, and restores the values of changed ones. */
import { revertRecords, type RecordInput } from "#domains/records/index.ts";
import { applySteps, findOpenTable, type OpenTable } from "#domains/tables/index.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { ImportProgressed, ImportTakenBack } from "../import.ts";
import { type ImportRow, toSummary, updateImport } from "../store.ts";
import type { WorkContext } from "../work-events.ts";

const BATCH_RECORDS = 1_000;

/** One batch, newest records first, because they can reference older ones. Returns true if there are more. */
export async function takeBackBatch(ctx: WorkContext, row: ImportRow): Promise<boolean> {
  const changes = await queryRows(
    ctx.tx,
    `select record_id, revision, before from import_changes
      where import_id = $1 and refusal is null order by record_id desc limit ${BATCH_RECORDS}`,
    [row.id],
  );
  const table = await findOpenTable(ctx, row.table_slug ?? "");
  if (changes.length === 0 || !table) return finish(ctx, row, table);
  const { reverted, refused } = await revertRecords(
    ctx,
    table,
    changes.map(({ record_id, revision, before }) => ({
      id: String(record_id),
      revision: Number(revision),
      before: before as RecordInput | null,
    })),
  );
  await ctx.send(
    "delete from import_changes where import_id = $1 and record_id = any($2::text[])",
    [row.id, reverted],
  );
  await ctx.send(
    `update import_changes c set refusal = r.reason from unnest($2::text[], $3::text[]) as r (id, reason)
      where c.import_id = $1 and c.record_id = r.id`,
    [row.id, refused.map(({ id }) => id), refused.map(({ reason }) => reason)],
  );
  const counts = {
    ...row.counts,
    takenBack: row.counts.takenBack + reverted.length,
    refused: row.counts.refused + refused.length,
  };
  if (changes.length < BATCH_RECORDS) return finish(ctx, { ...row, counts }, table);
  const after = await updateImport(ctx, row.id, { counts });
  ctx.emit(ImportProgressed, { id: row.id, displayName: row.name }, toSummary(after));
  return true;
}

async function finish(
  ctx: WorkContext,
  row: ImportRow,
  table: OpenTable | undefined,
): Promise<false> {
  if (table && row.made_table) await dropEmptied(ctx, table);
  const after = await updateImport(ctx, row.id, { state: "taken_back", counts: row.counts });
  ctx.emit(ImportTakenBack, { id: row.id, displayName: row.name }, toSummary(after));
  return false;
}

/** A table created by the import is deleted with its last record, unless it is referenced. */
async function dropEmptied(ctx: WorkContext, { schema }: OpenTable): Promise<void> {
  if (!ctx.caller.permissions.has("tables:write")) return;
  const [left] = await queryRows(ctx.tx, `select 1 from ${schema.view} limit 1`, []);
  if (left) return;
  try {
    await ctx.savepoint(() => applySteps(ctx, [{ op: "drop_table", table: schema.slug }]));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}
