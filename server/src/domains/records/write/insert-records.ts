/** Creates records. */
import type { WriteContext } from "#kernel/contract.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { idsInOrder, newId } from "#kernel/schema/id.ts";
import { authorOf } from "#kernel/access/caller.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { mapInTurns, TurnTimer } from "#kernel/work/turn-timer.ts";
import {
  FIELD_ERRORS_MAX,
  type Grant,
  type Json,
  type OpenTable,
  type RecordFields,
  type TableSchema,
} from "#domains/tables/index.ts";
import { RecordCreated, recordEventData, recordRef } from "../events.ts";
import { assertNoViolations, createViolations } from "../record-access.ts";
import { recordStatements } from "../record-statements.ts";
import {
  checkSize,
  type RecordInput,
  type RecordWrite,
  type StoredRecord,
  storedSize,
  type TableRecord,
} from "../record.ts";
import { batchParameters, explainBatchError, sliceWrites } from "./batch-parameters.ts";
import { settleFiles } from "../files/record-files.ts";
import { assertLinks } from "./check-links.ts";
import { assertMembers } from "./check-members.ts";
import { explainConstraint, invalidRecord } from "./constraint-error.ts";

/** The path of each record in the request. */
export type RecordPath = (index: number) => string;

const WHOLE_BODY: RecordPath = () => "";

/** A record to be created. */
export interface NewRecord {
  readonly input: RecordInput;
  readonly path: string;
}

/**
 * Creates records, all or none. The statement for a single record, in a table without generated values, is not
 * awaited: the commit reports its errors.
 */
export async function insertRecords(
  ctx: WriteContext<typeof RecordCreated>,
  table: OpenTable,
  inputs: readonly RecordInput[],
  pathOf: RecordPath = WHOLE_BODY,
): Promise<StoredRecord[]> {
  const writes = await prepareInserts(
    ctx,
    table,
    inputs.map((input, index) => ({ input, path: pathOf(index) })),
  );
  const stored: StoredRecord[] = [];
  for (const slice of sliceWrites(table.schema, writes)) {
    // Emits the events of the previous batch here: writing all of them at the end would block the event loop for
    // too long.
    if (stored.length > 0) ctx.flush();
    stored.push(...(await emitCreated(ctx, table, slice, await insert(ctx, table, slice))));
  }
  return stored;
}

/**
 * Emits an event for each inserted record. Rules are checked again if the database generates values, because rules
 * may name those fields.
 */
export async function emitCreated(
  ctx: WriteContext<typeof RecordCreated>,
  table: OpenTable,
  writes: readonly RecordWrite[],
  rows: readonly SqlRow[],
): Promise<StoredRecord[]> {
  const { schema } = table;
  const { generated } = recordStatements(schema);
  const byId = new Map(generated.length > 0 ? rows.map((row) => [row["id"], row]) : []);
  const inserted = writes.map((write) => withGenerated(schema, write, byId.get(write.record.id)));
  const records = inserted.map(({ record }) => record);
  const grants = generated.length > 0 ? await table.grantsOn("create", records) : undefined;
  if (grants)
    assertNoViolations(
      table,
      inserted.flatMap((write) => createViolations(grants, write)),
    );
  return inserted.map(({ record }) => {
    ctx.emit(RecordCreated, recordRef(schema, record), recordEventData(schema, record));
    return { record, revision: 1 };
  });
}

/** Returns the rows with the generated values, if there are any. */
async function insert(
  ctx: WriteContext<never>,
  table: OpenTable,
  writes: readonly RecordWrite[],
): Promise<readonly SqlRow[]> {
  const { insertOne, insertMany, generated, writable } = recordStatements(table.schema);
  const [first, ...others] = writes;
  if (!first) return [];
  const { record, path } = first;
  if (others.length > 0) {
    const values = [record.createdAt, record.createdBy, ...batchParameters(writable, writes)];
    return explainBatchError(ctx, table, writes, () => ctx.send<SqlRow>(insertMany, values));
  }
  const values = writable.map(({ name, columnType }) =>
    storedValue(record[name], columnType.store),
  );
  const sent = ctx.send<SqlRow>(
    insertOne,
    [record.id, record.createdAt, record.createdBy, ...values],
    explainConstraint(table, path),
  );
  return generated.length > 0 ? sent : [];
}

/** A value of a record as a parameter. */
export function storedValue(value: Json | undefined, store: (value: Json) => unknown): unknown {
  return value === null || value === undefined ? null : store(value);
}

/** Parses and checks records before the insert; throws all errors together. */
export async function prepareInserts(
  ctx: WriteContext<never>,
  table: OpenTable,
  records: readonly NewRecord[],
): Promise<RecordWrite[]> {
  const { now, caller } = ctx;
  const errors: FieldError[] = [];
  const writes: RecordWrite[] = [];
  const time = now.toISOString();
  const nextId =
    records.length === 1 ? () => newId("rec", now.getTime()) : idsInOrder("rec", now.getTime());
  const createdBy = authorOf(caller);
  const turn = new TurnTimer();
  for (const { input, path } of records) {
    if (turn.isOver()) await turn.next();
    const parsed = table.parseFields("create", input, now);
    if ("values" in parsed) {
      const system = { id: nextId(), createdAt: time, updatedAt: time, createdBy };
      const record = buildRecord(table.schema, system, parsed.values);
      errors.push(...checkSize(storedSize(record), path));
      writes.push({ record, named: Object.keys(input), path });
    } else errors.push(...nestErrors(path, parsed.errors));
    if (errors.length >= FIELD_ERRORS_MAX) break;
  }
  if (errors.length > 0) {
    await table.assertCurrent();
    throw invalidRecord(table, errors.slice(0, FIELD_ERRORS_MAX));
  }
  // Checked before the statement: an error of PostgreSQL would reveal hidden records.
  const grants = await table.grantsOn(
    "create",
    writes.map(({ record }) => record),
  );
  if (grants) {
    const possible = ignoringGenerated(table.schema, grants);
    assertNoViolations(
      table,
      await mapInTurns(writes, (write) => createViolations(possible, write)),
    );
  }
  await assertMembers(ctx, table, writes);
  await assertLinks(ctx, table, writes);
  await settleFiles(ctx, table, writes);
  return writes;
}

/** Drops conditions on generated fields: they have no value yet, and the conditions may hold later. */
function ignoringGenerated(schema: TableSchema, grants: readonly Grant[]): readonly Grant[] {
  const names = new Set(recordStatements(schema).generated.map(({ name }) => name));
  if (names.size === 0) return grants;
  return grants.map((grant) =>
    grant.where && namesField(names, grant.where) ? { ...grant, where: null } : grant,
  );
}

/** True when a condition names one of these fields anywhere. */
function namesField(names: ReadonlySet<string>, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return Object.entries(part).some(
    ([key, inner]) => names.has(key.split(".")[0] ?? key) || namesField(names, inner),
  );
}

/** In the order of the columns; generated ones are null so far. */
function buildRecord(
  { columns }: TableSchema,
  system: Pick<TableRecord, "id" | "createdAt" | "updatedAt" | "createdBy">,
  values: RecordFields,
): TableRecord {
  const record: Record<string, Json> = { ...system };
  for (const { name } of columns) record[name] = values[name] ?? null;
  return record as unknown as TableRecord;
}

function withGenerated(
  schema: TableSchema,
  write: RecordWrite,
  row: SqlRow | undefined,
): RecordWrite {
  if (!row) return write;
  const generated = recordStatements(schema).generated.map(({ name, columnType }) => [
    name,
    columnType.show(row[name]),
  ]);
  return { ...write, record: { ...write.record, ...Object.fromEntries(generated) } };
}

/** Prefixes the paths of errors with the path of a record. */
export function nestErrors(path: string, errors: readonly FieldError[]): readonly FieldError[] {
  if (path === "") return errors;
  return errors.map((error) => ({ ...error, path: path + error.path }));
}
