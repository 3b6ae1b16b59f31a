import type { WriteContext } from "#kernel/contract.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { ColumnSchema, OpenTable, RecordFields, TableSchema } from "#domains/tables/index.ts";
import { recordRef, recordUpdateData, RecordUpdated } from "../events.ts";
import { assertNoViolations, assertVisible, updateViolations } from "../record-access.ts";
import { recordStatements, withVersion } from "../record-statements.ts";
import {
  changesBetween,
  checkSize,
  NoSuchRecord,
  type RecordInput,
  type RecordWrite,
  type StoredRecord,
  storedSize,
  type TableRecord,
  toStoredRecord,
} from "../record.ts";
import { settleFiles } from "../files/record-files.ts";
import { assertLinks } from "./check-links.ts";
import { assertMembers } from "./check-members.ts";
import { explainConstraint, invalidRecord } from "./constraint-error.ts";
import { nestErrors, storedValue } from "./insert-records.ts";
import type { LockStrength } from "./lock-records.ts";

type UpdateContext = WriteContext<typeof RecordUpdated>;

/** Updates a record and returns the previous state in the same statement. Without differences, nothing is changed. */
export async function updateRecord(
  ctx: UpdateContext,
  table: OpenTable,
  id: string,
  input: RecordInput,
): Promise<StoredRecord> {
  const { schema } = table;
  const values = await parseUpdate(ctx, table, input, "");
  const authorize = async ({
    record: before,
    revision,
  }: StoredRecord): Promise<RecordWrite & { before: TableRecord }> => {
    await assertVisible(table, before);
    ctx.expectRevision(revision);
    const record = applyChanges(ctx, before, values);
    const write = { record, named: Object.keys(input), path: "", before };
    const grants = await table.grantsOn("update", [before, record]);
    assertNoViolations(table, updateViolations(grants, before, write));
    return write;
  };
  // Checked before the statement: an error of PostgreSQL would reveal hidden records.
  const isLimited = table.grants("read") !== undefined || table.grants("update") !== undefined;
  if (isLimited) await authorize(await lockRecord(ctx, table, id));
  const { text, values: parameters } = updateStatement(ctx, schema, id, values);
  const update = () => ctx.send<SqlRow>(text, parameters, explainConstraint(table));
  let [row] = await update();
  const before = row ? toStoredRecord(schema, row) : await lockRecord(ctx, table, id);
  // The record was unchanged when the statement began; a concurrent transaction has changed it since.
  if (!row && hasChanges(before.record, values)) [row] = await update();
  const write = await authorize(before);
  const { record } = write;
  if (!row) return before;
  const errors = checkSize(storedSize(record), "");
  if (errors.length > 0) throw invalidRecord(table, errors);
  await assertMembers(ctx, table, [write]);
  await assertLinks(ctx, table, [write]);
  await settleFiles(ctx, table, [write]);
  emitUpdated(ctx, table, before.record, record);
  return { record, revision: before.revision + 1 };
}

function hasChanges(record: TableRecord, values: RecordFields): boolean {
  return changesBetween(record, { ...record, ...values }).length > 0;
}

/** Locks a record until the transaction ends. */
export async function lockRecord(
  ctx: WriteContext<never>,
  table: OpenTable,
  id: string,
  strength: LockStrength = "for no key update",
): Promise<StoredRecord> {
  const { schema } = table;
  const text = `select ${recordStatements(schema).all} from ${schema.view} where id = $1 ${strength}`;
  const [row] = await ctx.send<SqlRow>(text, [id], explainConstraint(table));
  if (!row) throw new Failure(NoSuchRecord);
  return toStoredRecord(schema, row);
}

/** Parses the values of an update; throws all errors together. */
export async function parseUpdate(
  { now }: WriteContext<never>,
  table: OpenTable,
  input: RecordInput,
  path: string,
): Promise<RecordFields> {
  const parsed = table.parseFields("update", input, now);
  if ("values" in parsed) return parsed.values;
  await table.assertCurrent();
  throw invalidRecord(table, nestErrors(path, parsed.errors));
}

/** The future record. An update that waited for a later one keeps the later time. */
export function applyChanges(
  { now }: WriteContext<never>,
  record: TableRecord,
  values: RecordFields,
): TableRecord {
  const [before, time] = [record.updatedAt, now.toISOString()];
  return { ...record, updatedAt: before > time ? before : time, ...values };
}

export function emitUpdated(
  ctx: UpdateContext,
  { schema }: OpenTable,
  before: TableRecord,
  after: TableRecord,
): void {
  ctx.emit(RecordUpdated, recordRef(schema, after), recordUpdateData(schema, before, after));
}

/** A result column that is true for changed rows of a bulk update. No table column can have this name. */
export const CHANGED = "was changed";
/** The records of a statement: `$1` is an id or a list of ids. */
const ONE = "$1";
const MANY = "any($1::text[])";
/** The number of cached statements for frequent sets of fields, per table; one more covers all others. */
const STATEMENTS_MAX = 16;

/** A statement that updates records, and its parameters. */
export interface UpdateStatement {
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Builds an update that sets the same values and returns previous states. A single record is only returned if
 * changed. Waits for concurrent changes and uses their result.
 */
export function updateStatement(
  { now, services }: WriteContext<never>,
  schema: TableSchema,
  ids: string | readonly string[],
  values: RecordFields,
): UpdateStatement {
  const { updates, writable } = recordStatements(schema);
  const which = typeof ids === "string" ? ONE : MANY;
  const returnsOld = services.serverVersion >= RETURNING_OLD_SINCE;
  const textFor = which === ONE && returnsOld ? textForOneSince18 : textForAny;
  const build = (sets: readonly ColumnSet[]) => withVersion(schema, textFor(schema, sets, which));
  const columns = writable.filter(({ name }) => Object.hasOwn(values, name));
  const stored = columns.map(({ name, columnType }) => storedValue(values[name], columnType.store));
  const key = [which, ...columns.map(({ name }) => name)].join(" ");
  let text = updates.get(key);
  if (text === undefined && updates.size < STATEMENTS_MAX) {
    updates.set(key, (text = build(columns.map(setColumn))));
  }
  if (text !== undefined) return { text, values: [ids, now, ...stored] };
  // Includes all columns with a flag for those to write, so that the number of different statements is limited.
  const any = `${which} *`;
  text = updates.get(any);
  if (text === undefined) {
    updates.set(any, (text = build(writable.map(setColumnIfNamed))));
  }
  const all = writable.flatMap(({ name, columnType }) => [
    Object.hasOwn(values, name),
    storedValue(values[name], columnType.store),
  ]);
  return { text, values: [ids, now, ...all] };
}

/** A column assignment, and the comparison with the stored value. */
interface ColumnSet {
  readonly set: string;
  readonly differs: (row: string) => string;
}

function setColumn({ quoted, columnType }: ColumnSchema, index: number): ColumnSet {
  const value = `$${index + 3}::${columnType.parameterType}`;
  return {
    set: `${quoted} = ${value}`,
    differs: (row) => `${row}.${quoted} is distinct from ${value}`,
  };
}

function setColumnIfNamed({ quoted, columnType }: ColumnSchema, index: number): ColumnSet {
  const isNamed = `$${index * 2 + 3}::boolean`;
  const value = `$${index * 2 + 4}::${columnType.parameterType}`;
  return {
    set: `${quoted} = case when ${isNamed} then ${value} else r.${quoted} end`,
    differs: (row) => `(${isNamed} and ${row}.${quoted} is distinct from ${value})`,
  };
}

/** From this version on, PostgreSQL can return the previous row. */
const RETURNING_OLD_SINCE = 180_000;

function textForOneSince18(schema: TableSchema, sets: readonly ColumnSet[]): string {
  return `${updateSql(schema, sets)} where r.id = ${ONE} and ${differsSql(sets, "r")} returning ${recordStatements(schema).old}`;
}

/** `r` may be older than the locked row; `was` is the locked one, and changes are compared with it. */
function textForAny(schema: TableSchema, sets: readonly ColumnSet[], which: string): string {
  const was = `select ${recordStatements(schema).all} from ${schema.view} where id = ${which}`;
  const lock = "for no key update";
  const update = (from: string): string =>
    `${updateSql(schema, sets)} from ${from} where r.id = was.id and ${differsSql(sets, "was")}`;
  // For a single record, this costs the database a third less. The offset keeps the comparison out of the inner
  // select, where it would run before the lock wait.
  if (which === ONE) return `${update(`(${was} offset 0 ${lock}) as was`)} returning was.*`;
  return (
    `with was as materialized (${was} ${lock}), done as (${update("was")} returning r.id) ` +
    `select was.*, was.id in (select id from done) as "${CHANGED}" from was order by was.id`
  );
}

function updateSql({ view }: TableSchema, sets: readonly ColumnSet[]): string {
  const assignments = sets.map(({ set }) => `${set}, `);
  return `update ${view} as r set ${assignments.join("")}updated_at = greatest(r.updated_at, $2::timestamptz), revision = r.revision + 1`;
}

function differsSql(sets: readonly ColumnSet[], row: string): string {
  return `(${sets.map(({ differs }) => differs(row)).join(" or ")})`;
}
