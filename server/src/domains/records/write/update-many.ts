import type { WriteContext } from "#kernel/contract.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { mapInTurns, TurnTimer } from "#kernel/work/turn-timer.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { FIELD_ERRORS_MAX, type OpenTable, visibleFields } from "#domains/tables/index.ts";
import type { RecordUpdated } from "../events.ts";
import { assertNoViolations, updateViolations } from "../record-access.ts";
import { unnestedValue, unnestSql, withVersion } from "../record-statements.ts";
import {
  changesBetween,
  checkSize,
  type RecordInput,
  type RecordWrite,
  storedSize,
  type TableRecord,
} from "../record.ts";
import { batchParameters, explainBatchError, sliceWrites } from "./batch-parameters.ts";
import { settleFiles } from "../files/record-files.ts";
import { assertLinks } from "./check-links.ts";
import { assertMembers } from "./check-members.ts";
import { invalidRecord } from "./constraint-error.ts";
import { nestErrors } from "./insert-records.ts";
import { applyChanges, emitUpdated } from "./update-record.ts";

/** A record locked by the transaction, and the fields to update. */
export interface RecordUpdate {
  readonly before: TableRecord;
  readonly input: RecordInput;
  readonly path: string;
}

export interface UpdatedRecord {
  readonly record: TableRecord;
  readonly isChanged: boolean;
}

/** Updates records of one table individually; all or none. */
export async function updateEach(
  ctx: WriteContext<typeof RecordUpdated>,
  table: OpenTable,
  updates: readonly RecordUpdate[],
): Promise<readonly UpdatedRecord[]> {
  const planned = await planUpdates(ctx, table, updates);
  await assertMayUpdate(table, planned);
  const changed = planned.filter(({ fields }) => fields.length > 0);
  await assertMembers(ctx, table, changed);
  await assertLinks(ctx, table, changed);
  await settleFiles(ctx, table, changed);
  let isFirst = true;
  for (const slice of sliceWrites(table.schema, changed)) {
    // Emits the events of the previous batch here: writing all of them at the end would block the event loop for
    // too long.
    if (!isFirst) ctx.flush();
    isFirst = false;
    await writeUpdates(ctx, table, slice);
    for (const { before, record } of slice) emitUpdated(ctx, table, before, record);
  }
  return planned.map(({ before, record, fields }) =>
    fields.length > 0 ? { record, isChanged: true } : { record: before, isChanged: false },
  );
}

interface PlannedUpdate extends RecordWrite {
  readonly before: TableRecord;
  /** The fields that change. */
  readonly fields: readonly string[];
}

async function planUpdates(
  ctx: WriteContext<never>,
  table: OpenTable,
  updates: readonly RecordUpdate[],
): Promise<PlannedUpdate[]> {
  const errors: FieldError[] = [];
  const planned: PlannedUpdate[] = [];
  const turn = new TurnTimer();
  for (const { before, input, path } of updates) {
    if (turn.isOver()) await turn.next();
    const parsed = table.parseFields("update", input, ctx.now);
    if ("values" in parsed) {
      const record = applyChanges(ctx, before, parsed.values);
      errors.push(...checkSize(storedSize(record), path));
      const fields = changesBetween(before, record);
      planned.push({ before, record, fields, named: Object.keys(input), path });
    } else errors.push(...nestErrors(path, parsed.errors));
  }
  if (errors.length > 0) {
    await table.assertCurrent();
    throw invalidRecord(table, errors.slice(0, FIELD_ERRORS_MAX));
  }
  return planned;
}

/** A duplicate key reveals that a hidden record exists, but that record cannot be changed. */
async function assertMayUpdate(table: OpenTable, planned: readonly PlannedUpdate[]): Promise<void> {
  const before = planned.map((update) => update.before);
  const readGrants = await table.grantsOn("read", before);
  const updateGrants = await table.grantsOn("update", [
    ...before,
    ...planned.map(({ record }) => record),
  ]);
  if (!readGrants && !updateGrants) return;
  assertNoViolations(
    table,
    await mapInTurns(planned, (update) =>
      readGrants && !visibleFields(readGrants, update.before)
        ? [{ path: update.path, message: "is a record that you can't update" }]
        : updateViolations(updateGrants, update.before, update),
    ),
  );
}

/** One statement for all records: an unchanged field is written with its previous value. */
async function writeUpdates(
  ctx: WriteContext<never>,
  table: OpenTable,
  changed: readonly PlannedUpdate[],
): Promise<void> {
  const { schema } = table;
  const names = new Set(changed.flatMap(({ fields }) => fields));
  const columns = schema.columns.filter(({ name }) => names.has(name));
  const sets = columns.map(
    ({ quoted, columnType }, index) =>
      `${quoted} = ${unnestedValue(columnType.parameterType, `r.c${index}`)}, `,
  );
  const text = withVersion(
    schema,
    `update ${schema.view} as t set ${sets.join("")}updated_at = greatest(t.updated_at, $1::timestamptz), ` +
      `revision = t.revision + 1 from ${unnestSql(columns, 2)} where t.id = r.id`,
  );
  const values = [ctx.now, ...batchParameters(columns, changed)];
  await explainBatchError(ctx, table, changed, () => ctx.send<SqlRow>(text, values));
}
