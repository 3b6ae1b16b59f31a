/** Undoes record changes under table access rules, a thousand at a time. */
import { checkAccess, findTableById, openTable, type OpenTable } from "#domains/tables/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { countResourceEvents } from "#kernel/undo/chain-events.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { State } from "#kernel/undo/fold-changes.ts";
import type { BulkInverse, Reversal } from "#kernel/undo/inverse.ts";
import {
  RecordCreated,
  RecordDeleted,
  recordEvents,
  RecordRestored,
  RecordUpdated,
} from "../events.ts";
import { RecordsWrite } from "../permissions.ts";
import { deleteViolations } from "../record-access.ts";
import { recordStatements } from "../record-statements.ts";
import { NoSuchRecord, type TableRecord, toStoredRecord } from "../record.ts";
import { deleteUnreferenced } from "../write/delete-record.ts";
import { updateEach } from "../write/update-many.ts";
import { restoreRecords, toWholeRecord } from "./restore-record.ts";

export const recordInverse: BulkInverse = {
  resourceType: "record",
  created: [RecordCreated.type, RecordRestored.type],
  updated: [RecordUpdated.type],
  deleted: [RecordDeleted.type],
  permission: RecordsWrite,
  groupOf: ({ data }) => String(data["tableId"]),
  async lock(ctx, tableId, ids) {
    const table = await openById(ctx, tableId);
    const { schema } = table;
    const text =
      `select ${recordStatements(schema).all} from ${schema.view} ` +
      "where id = any($1::text[]) order by id for update";
    const rows = await table.retryOnSchemaChange(() => queryRows(ctx.tx, text, [ids]));
    const records = rows.map((row) => toStoredRecord(schema, row).record);
    const fields = recordStatements(schema).writable.map(({ name }) => name);
    const grants = await table.grantsOn("read", records);
    return {
      states: new Map(records.map((record): [string, State] => [record.id, record])),
      fields: new Set(fields),
      hiddenFields(state) {
        const { isAllowed, deniedFields } = checkAccess(grants, state, fields);
        return isAllowed ? new Set(deniedFields) : undefined;
      },
    };
  },
  async write(ctx, tableId, reversals) {
    const table = await openById(ctx, tableId);
    const [made, kept] = partition(reversals, ({ target }) => target === null);
    const [changed, gone] = partition(kept, ({ current }) => current !== null);
    await deleteMade(ctx, table, made);
    await restoreDeleted(ctx, table, gone);
    const updates = changed.map(({ id, current, target, fields }) => ({
      before: current as unknown as TableRecord,
      input: Object.fromEntries(fields.map((field) => [field, target?.[field] ?? null])),
      path: `/${id}`,
    }));
    if (updates.length > 0) await updateEach(ctx, table, updates);
  },
};

async function openById(ctx: WriteContext<never>, tableId: string): Promise<OpenTable> {
  const found = await findTableById(ctx.tx, tableId);
  if (!found) throw new Failure(NoSuchRecord, { detail: "belongs to a deleted table" });
  return openTable(ctx, found.slug);
}

async function deleteMade(
  ctx: WriteContext,
  table: OpenTable,
  reversals: readonly Reversal[],
): Promise<void> {
  if (reversals.length === 0) return;
  const records = reversals.map(({ current }) => current as unknown as TableRecord);
  const grants = await table.grantsOn("delete", records);
  await deleteUnreferenced(
    ctx,
    { table, records },
    records.flatMap((record) => deleteViolations(grants, record, `/${record.id}`)),
  );
}

async function restoreDeleted(
  ctx: WriteContext,
  table: OpenTable,
  reversals: readonly Reversal[],
): Promise<void> {
  if (reversals.length === 0) return;
  const ids = reversals.map(({ id }) => id);
  const types = recordEvents.map(({ type }) => type);
  const counts = await countResourceEvents(ctx.tx, ids, types);
  const deleted = reversals.map(({ id, target }) => ({
    record: toWholeRecord(ctx, table, { data: target ?? {} }),
    revision: (counts.get(id) ?? 0) + 1,
  }));
  await restoreRecords(ctx, table, deleted);
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
