import { Failure } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { type RecordFields, parseFields } from "#domains/tables/columns/parse-fields.ts";
import { assertSchemaCurrent } from "#domains/tables/schema/table-cache.ts";
import type { ColumnSchema, TableSchema } from "#domains/tables/schema/table-schema.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { NoSuchRecord } from "#domains/tables/table.ts";
import { RecordUpdated, tableIn } from "../events.ts";
import type { LockedRecords } from "./lock-matching.ts";
import { assertMembers } from "./check-members.ts";
import { cachedBySchema, recordStatements } from "../record-statements.ts";
import {
  updateViolations,
  assertAllowed,
  assertVisible,
  recordGrants,
  type WriteContextOfRecord,
} from "../record-access.ts";
import { faultsOfSize, storedSize } from "../table-record.ts";
import {
  changesBetween,
  recordRef,
  type StoredRecord,
  toStoredRecord,
  type TableRecord,
} from "../table-record.ts";
import { explainConstraint, invalidRecord } from "./constraint-error.ts";
import { nestPath, type RecordInput, storedValue } from "./insert-records.ts";

type Updating = WriteContext<typeof RecordUpdated>;

/** Changes one record, in one statement that also tells how it was. Nothing new is no change. */
export async function updateRecord(
  ctx: Updating,
  table: TableSchema,
  id: string,
  given: RecordInput,
): Promise<StoredRecord> {
  const values = await changedFields(ctx, table, given, "");
  const judge = ({
    record: before,
    revision,
  }: StoredRecord): WriteContextOfRecord & { before: TableRecord } => {
    assertVisible(ctx, table, before);
    ctx.expectRevision(revision);
    const record = applyChanges(ctx, before, values);
    const writing = { record, named: Object.keys(given), path: "", before };
    assertAllowed(updateViolations(recordGrants(table, "update", ctx.caller), before, writing));
    return writing;
  };
  // What PostgreSQL has against a change would tell them of records that they do not see.
  if (isBound(ctx, table)) judge(await lockRecord(ctx, table, id));
  const { text, values: operands } = updateStatement(ctx, table, id, values);
  const update = () => ctx.send<SqlRow>(text, operands, explainConstraint(ctx, table));
  let [row] = await update();
  const before = row ? toStoredRecord(table, row) : await lockRecord(ctx, table, id);
  // Nothing was new about it when the statement began; whoever was waited for has changed that.
  if (!row && isNews(before.record, values)) [row] = await update();
  const writing = judge(before);
  const { record } = writing;
  if (!row) return before;
  const faults = faultsOfSize(storedSize(record), "");
  if (faults.length > 0) throw invalidRecord(faults);
  await assertMembers(ctx, table, [writing]);
  emitUpdated(ctx, table, before.record, record);
  return { record, revision: before.revision + 1 };
}

function isNews(record: TableRecord, values: RecordFields): boolean {
  return changesBetween(record, { ...record, ...values }).length > 0;
}

/** A record as it is, which nobody else changes until the act ends. */
export async function lockRecord(
  ctx: WriteContext<never>,
  table: TableSchema,
  id: string,
  hold: LockedRecords = "for no key update",
): Promise<StoredRecord> {
  const text = `select ${recordStatements(table).all} from ${table.view} where id = $1 ${hold}`;
  const [row] = await ctx.send<SqlRow>(text, [id], explainConstraint(ctx, table));
  if (!row) throw new Failure(NoSuchRecord);
  return toStoredRecord(table, row);
}

/** Whether rules limit what the caller sees or changes. */
function isBound({ caller }: Updating, table: TableSchema): boolean {
  return [recordGrants(table, "read", caller), recordGrants(table, "update", caller)].some(Boolean);
}

/** The values that a change writes, or everything that is wrong with it. */
export async function changedFields(
  ctx: WriteContext<never>,
  table: TableSchema,
  given: RecordInput,
  path: string,
): Promise<RecordFields> {
  const { now, caller } = ctx;
  const read = parseFields(table, given, { for: "update", now, person: caller.principal });
  if ("values" in read) return read.values;
  await assertSchemaCurrent(ctx, table);
  throw invalidRecord(nestPath(path, read.errors));
}

/** The record as it will be. Whoever waited for a change that began later comes after it all the same. */
export function applyChanges(
  { now }: WriteContext<never>,
  record: TableRecord,
  values: RecordFields,
): TableRecord {
  const [before, time] = [record.updatedAt, now.toISOString()];
  return { ...record, updatedAt: before > time ? before : time, ...values };
}

/** Appends the event that a record was changed. */
export function emitUpdated(
  ctx: Updating,
  table: TableSchema,
  before: TableRecord,
  after: TableRecord,
): void {
  const tableSlug = table.slug;
  ctx.emit(RecordUpdated, recordRef(table, after), {
    ...tableIn(table),
    before: { tableSlug, ...before },
    after: { tableSlug, ...after },
    changes: changesBetween(before, after),
  });
}

/** In the rows of an update of many: whether this one was changed. No column can have such a name. */
export const CHANGED = "was changed";
/** Which records: `$1` is an id or a list of ids. */
const ONE = "$1";
const MANY = "any($1::text[])";
/** Texts for the usual sets of fields, of each table. There is one more for all others. */
const TEXTS_MAX = 16;

/** A statement that changes records, and what it is given. */
export interface UpdateStatement {
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Changes records, each in the same way, and tells how they were; of a single one only if it was
 * something else. Whoever changed one meanwhile is waited for, and what they left is what this begins
 * with.
 */
export function updateStatement(
  { now, services }: WriteContext<never>,
  table: TableSchema,
  ids: string | readonly string[],
  values: RecordFields,
): UpdateStatement {
  const { updates, writable } = recordStatements(table);
  const which = typeof ids === "string" ? ONE : MANY;
  const tellsOld = services.serverVersion >= RETURNING_OLD_SINCE;
  const textFor = which === ONE && tellsOld ? textForOneSince18 : textForAny;
  const made = (parts: readonly Part[]) => cachedBySchema(table, textFor(table, parts, which));
  const columns = writable.filter(({ name }) => Object.hasOwn(values, name));
  const stored = columns.map(({ name, columnType }) => storedValue(values[name], columnType.store));
  const key = [which, ...columns.map(({ name }) => name)].join(" ");
  let text = updates.get(key);
  if (text === undefined && updates.size < TEXTS_MAX) {
    updates.set(key, (text = made(columns.map(partOf))));
  }
  if (text !== undefined) return { text, values: [ids, now, ...stored] };
  // All columns, each with whether it is written, so that there is no end of texts.
  const any = `${which} *`;
  text = updates.get(any);
  if (text === undefined) {
    updates.set(any, (text = made(writable.map(optionalPartOf))));
  }
  const given = writable.flatMap(({ name, columnType }) => [
    Object.hasOwn(values, name),
    storedValue(values[name], columnType.store),
  ]);
  return { text, values: [ids, now, ...given] };
}

/** What is said of one column: what it becomes, and whether that is something else than it was in a row. */
interface Part {
  readonly set: string;
  readonly differs: (was: string) => string;
}

function partOf({ quoted, columnType }: ColumnSchema, index: number): Part {
  const operand = `$${index + 3}::${columnType.parameterType}`;
  return {
    set: `${quoted} = ${operand}`,
    differs: (was) => `${was}.${quoted} is distinct from ${operand}`,
  };
}

function optionalPartOf({ quoted, columnType }: ColumnSchema, index: number): Part {
  const written = `$${index * 2 + 3}::boolean`;
  const operand = `$${index * 2 + 4}::${columnType.parameterType}`;
  return {
    set: `${quoted} = case when ${written} then ${operand} else r.${quoted} end`,
    differs: (was) => `(${written} and ${was}.${quoted} is distinct from ${operand})`,
  };
}

/** From here on PostgreSQL tells by itself how a row was. */
const RETURNING_OLD_SINCE = 180_000;

function textForOneSince18(table: TableSchema, parts: readonly Part[]): string {
  return `${setting(table, parts)} where r.id = ${ONE} and ${anyOf(parts, "r")} returning ${recordStatements(table).old}`;
}

/** `r` may be older than what was waited for, and `was` is not: that is what a change is compared with. */
function textForAny(table: TableSchema, parts: readonly Part[], which: string): string {
  const was = `select ${recordStatements(table).all} from ${table.view} where id = ${which}`;
  const hold = "for no key update";
  const update = (from: string): string =>
    `${setting(table, parts)} from ${from} where r.id = was.id and ${anyOf(parts, "was")}`;
  // For one, a third less work to the database. The offset keeps the comparison out of the inner
  // select, where it would be made before the wait.
  if (which === ONE) return `${update(`(${was} offset 0 ${hold}) as was`)} returning was.*`;
  return (
    `with was as materialized (${was} ${hold}), done as (${update("was")} returning r.id) ` +
    `select was.*, was.id in (select id from done) as "${CHANGED}" from was order by was.id`
  );
}

function setting({ view }: TableSchema, parts: readonly Part[]): string {
  const sets = parts.map(({ set }) => `${set}, `);
  return `update ${view} as r set ${sets.join("")}updated_at = greatest(r.updated_at, $2::timestamptz), revision = r.revision + 1`;
}

function anyOf(parts: readonly Part[], was: string): string {
  return `(${parts.map(({ differs }) => differs(was)).join(" or ")})`;
}
