import type { WriteContext } from "#kernel/contract.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { assertSchemaCurrent } from "#domains/tables/schema/table-cache.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { parseFields } from "#domains/tables/columns/parse-fields.ts";
import { visibleFields } from "#domains/tables/schema/grants.ts";
import { FIELD_ERRORS_MAX } from "#domains/tables/table.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { RecordUpdated } from "../events.ts";
import { explainBatchError, batchParameters } from "./batch-parameters.ts";
import { assertMembers } from "./check-members.ts";
import { cachedBySchema, fromList, listsOf } from "../record-statements.ts";
import {
  updateViolations,
  assertAllowed,
  recordGrants,
  type WriteContextOfRecord,
} from "../record-access.ts";
import { faultsOfSize, storedSize } from "../table-record.ts";
import { changesBetween, type TableRecord } from "../table-record.ts";
import { emitUpdated, applyChanges } from "./update-record.ts";
import { invalidRecord } from "./constraint-error.ts";
import { nestPath, type RecordInput } from "./insert-records.ts";

/** A record that the act holds, and what of it is to be different. */
export interface Change {
  readonly before: TableRecord;
  readonly given: RecordInput;
  readonly path: string;
}

export interface Changed {
  readonly record: TableRecord;
  readonly isChanged: boolean;
}

/** Changes records of one table, each in its own way; all or none. */
export async function changeMany(
  ctx: WriteContext<typeof RecordUpdated>,
  table: TableSchema,
  changes: readonly Change[],
): Promise<readonly Changed[]> {
  const planned = await plannedOf(ctx, table, changes);
  assertMayChange(ctx, table, planned);
  const changed = planned.filter(({ fields }) => fields.length > 0);
  await assertMembers(ctx, table, changed);
  if (changed.length > 0) await write(ctx, table, changed);
  for (const { before, record } of changed) emitUpdated(ctx, table, before, record);
  return planned.map(({ before, record, fields }) =>
    fields.length > 0 ? { record, isChanged: true } : { record: before, isChanged: false },
  );
}

interface Planned extends WriteContextOfRecord {
  readonly before: TableRecord;
  /** Those that differ. */
  readonly fields: readonly string[];
}

async function plannedOf(
  ctx: WriteContext<never>,
  table: TableSchema,
  changes: readonly Change[],
): Promise<Planned[]> {
  const { now, caller } = ctx;
  const faults: FieldError[] = [];
  const planned: Planned[] = [];
  for (const { before, given, path } of changes) {
    const read = parseFields(table, given, { for: "update", now, person: caller.principal });
    if ("values" in read) {
      const record = applyChanges(ctx, before, read.values);
      faults.push(...faultsOfSize(storedSize(record), path));
      const fields = changesBetween(before, record);
      planned.push({ before, record, fields, named: Object.keys(given), path });
    } else faults.push(...nestPath(path, read.errors));
  }
  if (faults.length > 0) {
    await assertSchemaCurrent(ctx, table);
    throw invalidRecord(faults.slice(0, FIELD_ERRORS_MAX));
  }
  return planned;
}

/** That somebody else's record has the key can't be hidden, but it can't be touched either. */
function assertMayChange(
  { caller }: WriteContext<never>,
  table: TableSchema,
  planned: readonly Planned[],
): void {
  const [seeing, changing] = [
    recordGrants(table, "read", caller),
    recordGrants(table, "update", caller),
  ];
  if (!seeing && !changing) return;
  assertAllowed(
    planned.flatMap((one) =>
      seeing && !visibleFields(seeing, one.before)
        ? [{ path: one.path, message: "is a record that you may not change" }]
        : updateViolations(changing, one.before, one),
    ),
  );
}

/** One statement for all: what a record does not change is written as it was. */
async function write(
  ctx: WriteContext<never>,
  table: TableSchema,
  changed: readonly Planned[],
): Promise<void> {
  const names = new Set(changed.flatMap(({ fields }) => fields));
  const columns = table.columns.filter(({ name }) => names.has(name));
  const sets = columns.map(
    ({ quoted, columnType }, index) =>
      `${quoted} = ${fromList(columnType.parameterType, `r.c${index}`)}, `,
  );
  const text = cachedBySchema(
    table,
    `update ${table.view} as t set ${sets.join("")}updated_at = greatest(t.updated_at, $1::timestamptz), ` +
      `revision = t.revision + 1 from ${listsOf(columns, 2)} where t.id = r.id`,
  );
  const values = [ctx.now, ...batchParameters(columns, changed)];
  await explainBatchError(ctx, table, changed, () => ctx.send<SqlRow>(text, values));
}
