/**
 * The dependents of a deleted record. PostgreSQL would delete them or clear their references silently; they are
 * found and locked first, so that each gets an event.
 */
import type { WriteContext } from "#kernel/contract.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { failure } from "#kernel/operation/failure.ts";
import type { ColumnSchema, OpenTable, TableSchema } from "#domains/tables/index.ts";
import { recordStatements } from "../record-statements.ts";
import { type TableRecord, toStoredRecord } from "../record.ts";
import { lockWhere, RecordBudget } from "./lock-records.ts";

export const TooManyDependants = failure(
  "too_many_dependants",
  409,
  "Too many records depend on this record to delete them at once. Delete some of them first.",
);

/** Deleted records of one table, in the order found. */
export interface DeletedRecords {
  readonly table: OpenTable;
  readonly records: readonly TableRecord[];
}

/** A record whose references to deleted records are set to null, or removed from lists. */
export interface ClearedRecord {
  readonly table: OpenTable;
  readonly record: TableRecord;
  readonly fields: readonly string[];
}

export interface DeletionPlan {
  /** The records, then the records referencing them, recursively. */
  readonly deleted: readonly DeletedRecords[];
  readonly cleared: readonly ClearedRecord[];
  /** The ids of all records that are deleted. */
  readonly deletedIds: ReadonlySet<string>;
}

/**
 * Finds all consequences of deleting these records, which the transaction has locked: new references wait for the
 * lock, so none is missed.
 */
export async function planDeletion(
  ctx: WriteContext<never>,
  schemas: readonly TableSchema[],
  roots: DeletedRecords,
): Promise<DeletionPlan> {
  const budget = new RecordBudget(TooManyDependants);
  const deletedIds = new Set(roots.records.map(({ id }) => id));
  const deleted: DeletedRecords[] = [roots];
  const cleared = new Map<string, ClearedRecord>();
  // The list grows during the iteration.
  for (const { table: target, records } of deleted) {
    for (const { schema, column } of findReferences(schemas, target.schema.slug)) {
      const table = target.with(schema);
      const isList = column.linkTarget !== undefined;
      const where = isList
        ? `${column.quoted} && $1::text[]`
        : `${column.quoted} = any($1::text[])`;
      const values = [records.map(({ id }) => id)];
      const isCascade = !isList && column.onDelete === "cascade";
      const strength = isCascade ? "for update" : "for no key update";
      const ids = await lockWhere(ctx, table, { where, values }, { strength, budget });
      const found = await readRecords(
        ctx,
        table,
        ids.filter((id) => !deletedIds.has(id)),
      );
      if (isCascade) {
        for (const { id } of found) deletedIds.add(id);
        if (found.length > 0) deleted.push({ table, records: found });
      } else {
        for (const record of found) {
          const fields = [...new Set([...(cleared.get(record.id)?.fields ?? []), column.name])];
          cleared.set(record.id, { table, record, fields });
        }
      }
    }
  }
  // A record whose reference is cleared may later turn out to be deleted too.
  return {
    deleted,
    deletedIds,
    cleared: [...cleared.values()].filter(({ record }) => !deletedIds.has(record.id)),
  };
}

/** Reads records by their ids. */
export async function readRecords(
  ctx: WriteContext<never>,
  table: OpenTable,
  ids: readonly string[],
): Promise<TableRecord[]> {
  if (ids.length === 0) return [];
  const { schema } = table;
  const text = `select ${recordStatements(schema).all} from ${schema.view} where id = any($1::text[]) order by id`;
  const rows = await table.retryOnSchemaChange(() => queryRows(ctx.tx, text, [ids]));
  return rows.map((row) => toStoredRecord(schema, row).record);
}

/** A column that refers to another table. */
interface Reference {
  readonly schema: TableSchema;
  readonly column: ColumnSchema;
}

/** Finds the columns referencing a table, except those that restrict deletion. */
function findReferences(schemas: readonly TableSchema[], slug: string): readonly Reference[] {
  let byTarget = referencesByTarget.get(schemas);
  if (!byTarget) {
    const all = schemas.flatMap((schema) => schema.columns.map((column) => ({ schema, column })));
    const following = all.filter(
      ({ column }) => column.linkTarget !== undefined || column.onDelete !== "restrict",
    );
    byTarget = Map.groupBy(following, ({ column }) => column.target ?? column.linkTarget);
    referencesByTarget.set(schemas, byTarget);
  }
  return byTarget.get(slug) ?? [];
}

/** Cached as long as the table cache holds this list. */
const referencesByTarget = new WeakMap<
  readonly TableSchema[],
  ReadonlyMap<string | undefined, readonly Reference[]>
>();
