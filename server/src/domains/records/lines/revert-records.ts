/** Reverts changes to records. Each record must still have the revision of the change. */
import type { OpenTable } from "#domains/tables/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { RecordDeleted, RecordUpdated } from "../events.ts";
import { deleteViolations } from "../record-access.ts";
import type { RecordInput, TableRecord } from "../record.ts";
import { deleteUnreferenced } from "../write/delete-record.ts";
import { readRecords } from "../write/dependents.ts";
import { updateEach } from "../write/update-many.ts";

export interface RecordReversal {
  readonly id: string;
  /** The revision after the change. */
  readonly revision: number;
  /** The previous values of the changed fields; null if the change created the record. */
  readonly before: RecordInput | null;
}

export interface RevertedRecords {
  readonly reverted: string[];
  readonly refused: { readonly id: string; readonly reason: string }[];
}

type RevertContext = WriteContext<typeof RecordDeleted | typeof RecordUpdated>;

/** Reverts each record if possible; reports the others with a reason. */
export async function revertRecords(
  ctx: RevertContext,
  table: OpenTable,
  reversals: readonly RecordReversal[],
): Promise<RevertedRecords> {
  const result: RevertedRecords = { reverted: [], refused: [] };
  const possible = await lockUnchanged(ctx, table, reversals, result);
  const batches: (readonly LockedReversal[])[] = [possible];
  for (let batch = batches.pop(); batch; batch = batches.pop()) {
    if (batch.length === 0) continue;
    const part = batch;
    try {
      await ctx.savepoint(() => revertBatch(ctx, table, part));
      result.reverted.push(...part.map(({ id }) => id));
      ctx.flush();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const [first] = part;
      if (first && part.length === 1) {
        result.refused.push({ id: first.id, reason: error.message });
        continue;
      }
      const middle = Math.ceil(part.length / 2);
      batches.push(part.slice(middle), part.slice(0, middle));
    }
  }
  return result;
}

interface LockedReversal extends RecordReversal {
  readonly record: TableRecord;
}

/** Locks the records that are as they were left. */
async function lockUnchanged(
  ctx: RevertContext,
  table: OpenTable,
  reversals: readonly RecordReversal[],
  result: RevertedRecords,
): Promise<readonly LockedReversal[]> {
  const text = `select id, revision from ${table.schema.view} where id = any($1::text[]) order by id for update`;
  const ids = reversals.map(({ id }) => id);
  const rows = await table.retryOnSchemaChange(() => queryRows(ctx.tx, text, [ids]));
  const revisions = new Map(rows.map(({ id, revision }) => [String(id), Number(revision)]));
  const records = await readRecords(ctx, table, [...revisions.keys()]);
  const byId = new Map(records.map((record) => [record.id, record]));
  return reversals.flatMap((reversal): LockedReversal[] => {
    const { id, revision, before } = reversal;
    const record = byId.get(id);
    if (record && revisions.get(id) === revision) return [{ ...reversal, record }];
    // A record that was created and already deleted needs no revert.
    if (!record && before === null) result.reverted.push(id);
    else
      result.refused.push({
        id,
        reason: record ? "The record was changed later." : "The record was deleted later.",
      });
    return [];
  });
}

async function revertBatch(
  ctx: RevertContext,
  table: OpenTable,
  reversals: readonly LockedReversal[],
): Promise<void> {
  const made = reversals.filter(({ before }) => before === null).map(({ record }) => record);
  const changed = reversals.flatMap(({ record, before, id }) =>
    before === null
      ? []
      : [{ before: record, input: presentFields(table, before), path: `/${id}` }],
  );
  if (changed.length > 0) await updateEach(ctx, table, changed);
  if (made.length > 0) {
    const grants = await table.grantsOn("delete", made);
    await deleteUnreferenced(
      ctx,
      { table, records: made },
      made.flatMap((record) => deleteViolations(grants, record, `/${record.id}`)),
    );
  }
}

/** Without the fields of columns that were dropped since. */
function presentFields(table: OpenTable, before: RecordInput): RecordInput {
  return Object.fromEntries(
    Object.entries(before).filter(([name]) => table.schema.byName.has(name)),
  );
}
