import { Failure } from "#kernel/failure.ts";
import type { WriteContext } from "#kernel/operation.ts";
import { tablesOf } from "../../catalog.ts";
import type { KnownTable } from "../../known-table.ts";
import type { Row } from "../../statement.ts";
import { NoSuchRecord } from "../../table.ts";
import {
  type Consequences,
  consequencesOf,
  dependantsOf,
  type Emptied,
  recordsById,
} from "./dependants.ts";
import { RecordDeleted, RecordUpdated } from "../events.ts";
import { holdMatching } from "./matching.ts";
import { planOf } from "./plan.ts";
import { againstDeleting, assertAllowed, grantsFor } from "../rights.ts";
import { referTo, storedOf, type TableRecord } from "./stored.ts";
import { assertSeen, tellUpdate } from "./updating.ts";
import { deletionExplained, explained } from "./violation.ts";

type Deleting = WriteContext<typeof RecordDeleted | typeof RecordUpdated>;

/** Deletes a record, and what was made to go with it. */
export async function deleteRecord(ctx: Deleting, table: KnownTable, id: string): Promise<void> {
  const tables = await tablesOf(ctx);
  const alone = dependantsOf(tables, table.slug).length === 0;
  const { place } = table;
  const { all } = planOf(table);
  const text = alone
    ? `delete from ${place} where id = $1 returning ${all}`
    : `select ${all} from ${place} where id = $1 for update`;
  const [row] = await ctx.send<Row>(text, [id], deletionExplained(ctx, table));
  if (!row) throw new Failure(NoSuchRecord);
  const { record, revision } = storedOf(table, row);
  assertSeen(ctx, table, record);
  ctx.expectRevision(revision);
  assertAllowed(againstDeleting(grantsFor(table, "delete", ctx.caller), record));
  if (alone) tellDeletion(ctx, table, record);
  else await carryOut(ctx, await consequencesOf(ctx, tables, { table, records: [record] }));
}

/** Deletes all records that a condition holds for, or none; tells how many. */
export async function deleteMatching(
  ctx: Deleting,
  table: KnownTable,
  filter: string,
): Promise<number> {
  const ids = await holdMatching(ctx, table, filter, "for update");
  const records = await recordsById(ctx, table, ids);
  if (records.length === 0) return 0;
  const grants = grantsFor(table, "delete", ctx.caller);
  assertAllowed(records.flatMap((record) => againstDeleting(grants, record, `/${record.id}`)));
  const tables = await tablesOf(ctx);
  await carryOut(ctx, await consequencesOf(ctx, tables, { table, records }));
  return records.length;
}

/** From the outermost inwards, so that nothing refers to what is deleted. */
async function carryOut(ctx: Deleting, { doomed, emptied }: Consequences): Promise<void> {
  for (const group of groupsOf(emptied)) await empty(ctx, group);
  for (const { table, records } of doomed.toReversed()) {
    await ctx.send(
      `delete from ${table.place} where id = any($1::text[])`,
      [records.map(({ id }) => id)],
      deletionExplained(ctx, table),
    );
    for (const record of records) tellDeletion(ctx, table, record);
  }
}

/** Those that lose the same references, table by table. */
function groupsOf(emptied: readonly Emptied[]): readonly (readonly Emptied[])[] {
  const keyOf = ({ table, fields }: Emptied): string => [table.slug, ...fields].join(" ");
  return [...Map.groupBy(emptied, keyOf).values()];
}

async function empty(ctx: Deleting, group: readonly Emptied[]): Promise<void> {
  const [first] = group;
  if (!first) return;
  const { table, fields } = first;
  const sets = fields.map((name) => `${table.byName.get(name)?.quoted} = null, `);
  await ctx.send(
    `update ${table.place} set ${sets.join("")}updated_at = $2::timestamptz, ` +
      "revision = revision + 1 where id = any($1::text[])",
    [group.map(({ record }) => record.id), ctx.now],
    explained(ctx, table),
  );
  const nothing = Object.fromEntries(fields.map((name) => [name, null]));
  for (const { record } of group) {
    tellUpdate(ctx, table, record, { ...record, updatedAt: ctx.now.toISOString(), ...nothing });
  }
}

function tellDeletion(ctx: Deleting, table: KnownTable, record: TableRecord): void {
  ctx.emit(RecordDeleted, referTo(table, record), { tableSlug: table.slug, ...record });
}
