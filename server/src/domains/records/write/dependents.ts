/**
 * What goes with a record that is deleted. PostgreSQL would delete or empty what refers to it by
 * itself, and silently; so that each of those has its event, they are found first, and held.
 */
import { failure } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { retryOnSchemaChange } from "#domains/tables/schema/table-cache.ts";
import { onDeleteOf, targetOf } from "#domains/tables/columns/reference.ts";
import type { ColumnSchema, TableSchema } from "#domains/tables/schema/table-schema.ts";
import { type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { RecordBudget, lockWhere } from "./lock-matching.ts";
import { recordStatements } from "../record-statements.ts";
import { toStoredRecord, type TableRecord } from "../table-record.ts";

export const TooManyDependants = failure(
  "too_many_dependants",
  409,
  "More records depend on this one than can be deleted at once. Delete some of those first.",
);

/** A column that refers to another table. */
interface Reference {
  readonly table: TableSchema;
  readonly column: ColumnSchema;
}

/** The columns that refer to a table, but those that keep its records from being deleted. */
function dependantsOf(tables: readonly TableSchema[], slug: string): readonly Reference[] {
  let byTarget = known.get(tables);
  if (!byTarget) {
    const all = tables.flatMap((table) => table.columns.map((column) => ({ table, column })));
    const bound = all.filter(({ column }) => onDeleteOf(column) !== "restrict");
    byTarget = Map.groupBy(bound, ({ column }) => targetOf(column));
    known.set(tables, byTarget);
  }
  return byTarget.get(slug) ?? [];
}

/** For as long as the catalog keeps its list. */
const known = new WeakMap<
  readonly TableSchema[],
  ReadonlyMap<string | undefined, readonly Reference[]>
>();

/** Records of one table that are deleted, in the order in which they were found. */
export interface Doomed {
  readonly table: TableSchema;
  readonly records: readonly TableRecord[];
}

/** A record that loses references. */
export interface Emptied {
  readonly table: TableSchema;
  readonly record: TableRecord;
  readonly fields: readonly string[];
}

export interface Consequences {
  /** The records themselves first, then those that referred to them, and so on. */
  readonly doomed: readonly Doomed[];
  readonly emptied: readonly Emptied[];
}

/**
 * Everything that follows from the end of these records, which the act holds already: who wants to
 * refer to one of them waits for it, so that nothing is missed that comes meanwhile.
 */
export async function consequencesOf(
  ctx: WriteContext<never>,
  tables: readonly TableSchema[],
  roots: Doomed,
): Promise<Consequences> {
  const budget = new RecordBudget(TooManyDependants);
  const gone = new Set(roots.records.map(({ id }) => id));
  const doomed: Doomed[] = [roots];
  const loose = new Map<string, Emptied>();
  // It grows while it is gone through.
  for (const { table: target, records } of doomed) {
    for (const { table, column } of dependantsOf(tables, target.slug)) {
      const where = `${column.quoted} = any($1::text[])`;
      const values = [records.map(({ id }) => id)];
      const cascades = onDeleteOf(column) === "cascade";
      const hold = cascades ? "for update" : "for no key update";
      const ids = await lockWhere(ctx, table, { where, values }, { hold, budget });
      const found = await recordsById(
        ctx,
        table,
        ids.filter((id) => !gone.has(id)),
      );
      if (cascades) {
        for (const { id } of found) gone.add(id);
        if (found.length > 0) doomed.push({ table, records: found });
      } else {
        for (const record of found) {
          const fields = [...(loose.get(record.id)?.fields ?? []), column.name];
          loose.set(record.id, { table, record, fields });
        }
      }
    }
  }
  // One that lost a reference may have been found to go later.
  return { doomed, emptied: [...loose.values()].filter(({ record }) => !gone.has(record.id)) };
}

/** Records by their ids. */
export async function recordsById(
  ctx: WriteContext<never>,
  table: TableSchema,
  ids: readonly string[],
): Promise<TableRecord[]> {
  if (ids.length === 0) return [];
  const text = `select ${recordStatements(table).all} from ${table.view} where id = any($1::text[]) order by id`;
  const rows: readonly SqlRow[] = await retryOnSchemaChange(ctx, () =>
    queryRows(ctx.tx, text, [ids]),
  );
  return rows.map((row) => toStoredRecord(table, row).record);
}
