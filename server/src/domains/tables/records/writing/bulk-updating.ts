import type { Condition } from "#kernel/condition/condition.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import type { KnownTable } from "../../table-schema.ts";
import type { Row } from "#kernel/db/statement.ts";
import { RecordUpdated } from "#domains/records/events.ts";
import { recordsById } from "#domains/records/write/dependents.ts";
import { holdMatching } from "#domains/records/write/lock-matching.ts";
import { assertMembers } from "#domains/records/write/check-members.ts";
import { againstUpdating, assertAllowed, grantsFor } from "#domains/records/record-access.ts";
import { faultsOfSize, storedSize } from "./size.ts";
import { storedOf } from "#domains/records/table-record.ts";
import {
  CHANGED,
  changesIn,
  tellUpdate,
  updateStatement,
  withChanges,
} from "#domains/records/write/update-record.ts";
import { explained, invalid } from "#domains/records/write/constraint-error.ts";
import type { Given } from "#domains/records/write/insert-records.ts";

const PATH = "/set";

/** Changes all records that a condition holds for, or none; tells how many were not like that before. */
export async function updateMatching(
  ctx: WriteContext<typeof RecordUpdated>,
  table: KnownTable,
  { filter, set }: { readonly filter: Condition; readonly set: Given },
): Promise<number> {
  const values = await changesIn(ctx, table, set, PATH);
  const ids = await holdMatching(ctx, table, filter, "for no key update");
  if (ids.length === 0) return 0;
  const named = Object.keys(set);
  const grants = grantsFor(table, "update", ctx.caller);
  if (grants) {
    // Before it is sent: what PostgreSQL has against it would tell of records that they do not see.
    const faults = (await recordsById(ctx, table, ids)).flatMap((before) =>
      againstUpdating(grants, before, {
        record: withChanges(ctx, before, values),
        named,
        path: PATH,
      }),
    );
    // What is against one record is mostly against the others too, and said once.
    assertAllowed([...new Map(faults.map((one) => [one.path + one.message, one])).values()]);
  }
  const { text, values: operands } = updateStatement(ctx, table, ids, values);
  const rows = await ctx.send<Row>(text, operands, explained(ctx, table, PATH));
  const writings = rows.map((row) => {
    const before = storedOf(table, row).record;
    const record = withChanges(ctx, before, values);
    return { before, record, named, path: PATH, changed: row[CHANGED] === true };
  });
  const changed = writings.filter((one) => one.changed);
  const largest = changed.reduce((most, { record }) => Math.max(most, storedSize(record)), 0);
  const tooLarge = faultsOfSize(largest, PATH);
  if (tooLarge.length > 0) throw invalid(tooLarge);
  await assertMembers(ctx, table, changed);
  for (const { before, record } of changed) tellUpdate(ctx, table, before, record);
  return changed.length;
}
