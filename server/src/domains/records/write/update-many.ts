import type { WriteContext } from "#kernel/operation/operation.ts";
import type { Fault } from "#kernel/operation/failure.ts";
import { assertCurrent } from "#domains/tables/table-cache.ts";
import type { KnownTable } from "#domains/tables/table-schema.ts";
import { readFields } from "#domains/tables/columns/parse-fields.ts";
import { seenBy } from "#domains/tables/rules/grants.ts";
import { FAULTS_MAX } from "#domains/tables/table.ts";
import type { Row } from "#kernel/db/statement.ts";
import { RecordUpdated } from "../events.ts";
import { explainMany, parametersOf } from "./batch-parameters.ts";
import { assertMembers } from "./check-members.ts";
import { byShape, fromList, listsOf } from "./record-sql.ts";
import { againstUpdating, assertAllowed, grantsFor, type Writing } from "../record-access.ts";
import { faultsOfSize, storedSize } from "../table-record.ts";
import { changesBetween, type TableRecord } from "../table-record.ts";
import { tellUpdate, withChanges } from "./update-record.ts";
import { invalid } from "./constraint-error.ts";
import { below, type Given } from "./insert-records.ts";

/** A record that the act holds, and what of it is to be different. */
export interface Change {
  readonly before: TableRecord;
  readonly given: Given;
  readonly path: string;
}

export interface Changed {
  readonly record: TableRecord;
  readonly isChanged: boolean;
}

/** Changes records of one table, each in its own way; all or none. */
export async function changeMany(
  ctx: WriteContext<typeof RecordUpdated>,
  table: KnownTable,
  changes: readonly Change[],
): Promise<readonly Changed[]> {
  const planned = await plannedOf(ctx, table, changes);
  assertMayChange(ctx, table, planned);
  const changed = planned.filter(({ fields }) => fields.length > 0);
  await assertMembers(ctx, table, changed);
  if (changed.length > 0) await write(ctx, table, changed);
  for (const { before, record } of changed) tellUpdate(ctx, table, before, record);
  return planned.map(({ before, record, fields }) =>
    fields.length > 0 ? { record, isChanged: true } : { record: before, isChanged: false },
  );
}

interface Planned extends Writing {
  readonly before: TableRecord;
  /** Those that differ. */
  readonly fields: readonly string[];
}

async function plannedOf(
  ctx: WriteContext<never>,
  table: KnownTable,
  changes: readonly Change[],
): Promise<Planned[]> {
  const { now, caller } = ctx;
  const faults: Fault[] = [];
  const planned: Planned[] = [];
  for (const { before, given, path } of changes) {
    const read = readFields(table, given, { for: "update", now, person: caller.person });
    if ("values" in read) {
      const record = withChanges(ctx, before, read.values);
      faults.push(...faultsOfSize(storedSize(record), path));
      const fields = changesBetween(before, record);
      planned.push({ before, record, fields, named: Object.keys(given), path });
    } else faults.push(...below(path, read.faults));
  }
  if (faults.length > 0) {
    await assertCurrent(ctx, table);
    throw invalid(faults.slice(0, FAULTS_MAX));
  }
  return planned;
}

/** That somebody else's record has the key can't be hidden, but it can't be touched either. */
function assertMayChange(
  { caller }: WriteContext<never>,
  table: KnownTable,
  planned: readonly Planned[],
): void {
  const [seeing, changing] = [grantsFor(table, "read", caller), grantsFor(table, "update", caller)];
  if (!seeing && !changing) return;
  assertAllowed(
    planned.flatMap((one) =>
      seeing && !seenBy(seeing, one.before)
        ? [{ path: one.path, message: "is a record that you may not change" }]
        : againstUpdating(changing, one.before, one),
    ),
  );
}

/** One statement for all: what a record does not change is written as it was. */
async function write(
  ctx: WriteContext<never>,
  table: KnownTable,
  changed: readonly Planned[],
): Promise<void> {
  const names = new Set(changed.flatMap(({ fields }) => fields));
  const columns = table.columns.filter(({ name }) => names.has(name));
  const sets = columns.map(
    ({ quoted, is }, index) => `${quoted} = ${fromList(is.parameterType, `r.c${index}`)}, `,
  );
  const text = byShape(
    table,
    `update ${table.view} as t set ${sets.join("")}updated_at = greatest(t.updated_at, $1::timestamptz), ` +
      `revision = t.revision + 1 from ${listsOf(columns, 2)} where t.id = r.id`,
  );
  const values = [ctx.now, ...parametersOf(columns, changed)];
  await explainMany(ctx, table, changed, () => ctx.send<Row>(text, values));
}
