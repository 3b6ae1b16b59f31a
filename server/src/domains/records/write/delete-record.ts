import { partitionOfCaller } from "#kernel/access/caller.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { tablesOf } from "#domains/tables/schema/table-cache.ts";
import { resolveTable, type TableSchema } from "#domains/tables/schema/table-schema.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { listTables } from "#domains/tables/store.ts";
import { consequencesOf, type Doomed, type Emptied, recordsById } from "./dependents.ts";
import { RecordDeleted, RecordUpdated, tableIn } from "../events.ts";
import { lockMatching } from "./lock-matching.ts";
import { cachedBySchema } from "../record-statements.ts";
import { againstDeleting, assertAllowed, assertVisible, recordGrants } from "../record-access.ts";
import { recordRef, type TableRecord } from "../table-record.ts";
import { lockRecord, emitUpdated, applyChanges } from "./update-record.ts";
import { explainDeletion, explainConstraint } from "./constraint-error.ts";

type Deleting = WriteContext<typeof RecordDeleted | typeof RecordUpdated>;

/** Deletes a record, and what was made to go with it. */
export async function deleteRecord(ctx: Deleting, table: TableSchema, id: string): Promise<void> {
  // First, so that nothing comes to refer to it, and nothing that does tells them of it.
  const { record, revision } = await lockRecord(ctx, table, id, "for update");
  assertVisible(ctx, table, record);
  ctx.expectRevision(revision);
  assertAllowed(againstDeleting(recordGrants(table, "delete", ctx.caller), record));
  await carryOut(ctx, { table, records: [record] });
}

/** Deletes all records that a condition holds for, or none; tells how many. */
export async function deleteMatching(
  ctx: Deleting,
  table: TableSchema,
  filter: string,
): Promise<number> {
  const ids = await lockMatching(ctx, table, filter, "for update");
  const records = await recordsById(ctx, table, ids);
  if (records.length === 0) return 0;
  const grants = recordGrants(table, "delete", ctx.caller);
  assertAllowed(records.flatMap((record) => againstDeleting(grants, record, `/${record.id}`)));
  await carryOut(ctx, { table, records });
  return records.length;
}

/**
 * In one statement: PostgreSQL looks at its end for what still refers to something deleted, so that it
 * does not matter how those refer to each other that go together.
 */
async function carryOut(ctx: Deleting, roots: Doomed): Promise<void> {
  const tables = await tablesNow(ctx);
  const { doomed, emptied } = await consequencesOf(ctx, tables, roots);
  for (const group of groupsOf(emptied)) await empty(ctx, group);
  const views = Map.groupBy(doomed, ({ table }) => table.view);
  await ctx.send(
    deletionFrom([...views.keys()]),
    [...views.values()].map((groups) => groups.flatMap(({ records }) => records.map(idOf))),
    explainDeletion(ctx, roots.table, tables),
  );
  // From the outermost inwards: what goes with a record is told before it.
  for (const { table, records } of doomed.toReversed()) {
    for (const record of records) tellDeletion(ctx, table, record);
  }
}

function idOf({ id }: TableRecord): string {
  return id;
}

/** Deletes records of several tables by their ids, of which there is one list for each. */
function deletionFrom(views: readonly string[]): string {
  const [first = "", ...others] = views.map(
    (view, index) => `delete from ${view} where id = any($${index + 1}::text[])`,
  );
  if (others.length === 0) return first;
  return `with ${others.map((text, index) => `part${index} as (${text})`).join(", ")} ${first}`;
}

/**
 * The tables as they are by now. One that another node has just made may refer to what is deleted, and
 * what it loses would go untold.
 */
async function tablesNow(ctx: Deleting): Promise<readonly TableSchema[]> {
  const known = await tablesOf(ctx);
  const rows = await ctx.send<SqlRow>("select id, revision from user_tables", []);
  const revisions = new Map(rows.map(({ id, revision }) => [id, revision]));
  const isCurrent = known.every(({ id, revision }) => revisions.get(id) === revision);
  if (isCurrent && rows.length === known.length) return known;
  return (await listTables(ctx.tx)).map((table) =>
    resolveTable(table, partitionOfCaller(ctx.caller)),
  );
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
  const text =
    `update ${table.view} set ${sets.join("")}updated_at = greatest(updated_at, $2::timestamptz), ` +
    "revision = revision + 1 where id = any($1::text[])";
  await ctx.send(
    cachedBySchema(table, text),
    [group.map(({ record }) => record.id), ctx.now],
    explainConstraint(ctx, table),
  );
  const nothing = Object.fromEntries(fields.map((name) => [name, null]));
  for (const { record } of group) {
    emitUpdated(ctx, table, record, applyChanges(ctx, record, nothing));
  }
}

function tellDeletion(ctx: Deleting, table: TableSchema, record: TableRecord): void {
  ctx.emit(RecordDeleted, recordRef(table, record), { ...tableIn(table), ...record });
}
