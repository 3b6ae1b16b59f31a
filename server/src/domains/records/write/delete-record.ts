import type { WriteContext } from "#kernel/contract.ts";
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import type { Json, OpenTable } from "#domains/tables/index.ts";
import { RecordDeleted, recordEventData, recordRef, RecordUpdated } from "../events.ts";
import { releaseRecordFiles } from "../files/record-files.ts";
import { assertNoViolations, assertVisible, deleteViolations } from "../record-access.ts";
import { withVersion } from "../record-statements.ts";
import { RecordReferenced, type TableRecord } from "../record.ts";
import { explainConstraint, explainDeletion } from "./constraint-error.ts";
import {
  type ClearedRecord,
  type DeletedRecords,
  planDeletion,
  readRecords,
} from "./dependents.ts";
import { lockMatching } from "./lock-records.ts";
import { applyChanges, emitUpdated, lockRecord } from "./update-record.ts";

type DeleteContext = WriteContext<typeof RecordDeleted | typeof RecordUpdated>;

/** Deletes a record and its dependents. */
export async function deleteRecord(
  ctx: DeleteContext,
  table: OpenTable,
  id: string,
): Promise<void> {
  // Lock first, so that no new reference is added, and errors do not reveal a hidden record.
  const { record, revision } = await lockRecord(ctx, table, id, "for update");
  await assertVisible(table, record);
  ctx.expectRevision(revision);
  assertNoViolations(table, deleteViolations(await table.grantsOn("delete", [record]), record));
  await deleteWithDependents(ctx, { table, records: [record] });
}

/** Deletes all records that match a filter, or none; returns their number. */
export async function deleteMatching(
  ctx: DeleteContext,
  table: OpenTable,
  filter: string,
): Promise<number> {
  return deleteLocked(ctx, table, await lockMatching(ctx, table, filter, "for update"));
}

/** Deletes locked records, all or none; returns their number. */
export async function deleteLocked(
  ctx: DeleteContext,
  table: OpenTable,
  ids: readonly string[],
): Promise<number> {
  const records = await readRecords(ctx, table, ids);
  if (records.length === 0) return 0;
  const grants = await table.grantsOn("delete", records);
  assertNoViolations(
    table,
    records.flatMap((record) => deleteViolations(grants, record, `/${record.id}`)),
  );
  await deleteWithDependents(ctx, { table, records });
  return records.length;
}

/**
 * Deletes records that only these records refer to, so that nothing else is deleted or changed. Throws if another
 * record refers to one, or one may not be deleted.
 */
export async function deleteUnreferenced(
  ctx: DeleteContext,
  roots: DeletedRecords,
  violations: readonly FieldError[],
): Promise<void> {
  assertNoViolations(roots.table, violations);
  const schemas = await roots.table.listSchemas();
  const plan = await planDeletion(ctx, schemas, roots);
  if (plan.deleted.length > 1 || plan.cleared.length > 0) throw new Failure(RecordReferenced);
  await deleteWithDependents(ctx, roots);
}

/**
 * Deletes in one statement: PostgreSQL checks references at its end, so references between the deleted records do
 * not matter.
 */
async function deleteWithDependents(ctx: DeleteContext, roots: DeletedRecords): Promise<void> {
  const schemas = await roots.table.listSchemas();
  const { deleted, cleared, deletedIds } = await planDeletion(ctx, schemas, roots);
  for (const group of groupByFields(cleared)) await clearReferences(ctx, group, deletedIds);
  const views = Map.groupBy(deleted, ({ table }) => table.schema.view);
  await ctx.send(
    deleteSql([...views.keys()]),
    [...views.values()].map((groups) =>
      groups.flatMap(({ records }) => records.map(({ id }) => id)),
    ),
    explainDeletion(roots.table, schemas),
  );
  // In reverse order: the events of dependent records come before those of their parents.
  for (const { table, records } of deleted.toReversed()) {
    await releaseRecordFiles(ctx, table, records);
    for (const record of records) emitDeleted(ctx, table, record);
  }
}

/** Deletes records of several tables, with one list of ids per table. */
function deleteSql(views: readonly string[]): string {
  const [first = "", ...others] = views.map(
    (view, index) => `delete from ${view} where id = any($${index + 1}::text[])`,
  );
  if (others.length === 0) return first;
  return `with ${others.map((text, index) => `part${index} as (${text})`).join(", ")} ${first}`;
}

/** Groups the records of one table in which the same references are cleared. */
function groupByFields(cleared: readonly ClearedRecord[]): readonly (readonly ClearedRecord[])[] {
  const keyOf = ({ table, fields }: ClearedRecord): string =>
    [table.schema.slug, ...fields].join(" ");
  return [...Map.groupBy(cleared, keyOf).values()];
}

async function clearReferences(
  ctx: DeleteContext,
  group: readonly ClearedRecord[],
  deletedIds: ReadonlySet<string>,
): Promise<void> {
  const [first] = group;
  if (!first) return;
  const { table, fields } = first;
  const { schema } = table;
  const columns = fields.flatMap((name) => schema.byName.get(name) ?? []);
  const hasLists = columns.some(({ linkTarget }) => linkTarget !== undefined);
  const sets = columns.map(({ quoted, linkTarget }) =>
    linkTarget === undefined ? `${quoted} = null, ` : `${quoted} = ${keptLinksSql(quoted)}, `,
  );
  const text =
    `update ${schema.view} set ${sets.join("")}updated_at = greatest(updated_at, $2::timestamptz), ` +
    "revision = revision + 1 where id = any($1::text[])";
  const values: unknown[] = [group.map(({ record }) => record.id), ctx.now];
  if (hasLists) values.push([...deletedIds]);
  await ctx.send(withVersion(schema, text), values, explainConstraint(table));
  for (const { record } of group) {
    const changes = columns.map(({ name, linkTarget }): [string, Json] => {
      const list = record[name];
      const isList = linkTarget !== undefined && Array.isArray(list);
      return [name, isList ? list.filter((id) => !deletedIds.has(String(id))) : null];
    });
    emitUpdated(ctx, table, record, applyChanges(ctx, record, Object.fromEntries(changes)));
  }
}

/** A list of links without deleted records, in its order. */
function keptLinksSql(quoted: string): string {
  return (
    `array(select link.id from unnest(${quoted}) with ordinality as link (id, place) ` +
    "where link.id <> all ($3::text[]) order by link.place)"
  );
}

function emitDeleted(ctx: DeleteContext, { schema }: OpenTable, record: TableRecord): void {
  ctx.emit(RecordDeleted, recordRef(schema, record), recordEventData(schema, record));
}
