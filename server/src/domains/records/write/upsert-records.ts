import type { WriteContext } from "#kernel/contract.ts";
import { StaleRead } from "#kernel/db/errors.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { type FieldError, invalidInput } from "#kernel/operation/failure.ts";
import {
  type ColumnSchema,
  FIELD_ERRORS_MAX,
  type Json,
  type OpenTable,
  type TableSchema,
} from "#domains/tables/index.ts";
import type { RecordCreated, RecordUpdated } from "../events.ts";
import { assertNoViolations, createViolations } from "../record-access.ts";
import { recordStatements } from "../record-statements.ts";
import type { RecordInput, TableRecord } from "../record.ts";
import { batchParameters, explainBatchError, sliceWrites } from "./batch-parameters.ts";
import { invalidRecord } from "./constraint-error.ts";
import { readRecords } from "./dependents.ts";
import { emitCreated, prepareInserts, type RecordPath } from "./insert-records.ts";
import { lockWhere, RecordBudget } from "./lock-records.ts";
import { updateEach } from "./update-many.ts";

type UpsertContext = WriteContext<typeof RecordCreated | typeof RecordUpdated>;

export interface UpsertResult {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** In the order of the request. */
  readonly records: readonly TableRecord[];
  /** The records that were updated. */
  readonly changes: readonly RecordChange[];
  /** The ids of the records that were there. */
  readonly existing: readonly string[];
}

export interface RecordChange {
  readonly before: TableRecord;
  readonly after: TableRecord;
}

/** Concurrent transactions may create and delete records with the same keys, but not this often. */
const ROUNDS_MAX = 5;

/**
 * Creates records with new keys and updates the others, atomically. Concurrent transactions with the same key
 * are serialised: the second one updates the record.
 */
export async function upsertRecords(
  ctx: UpsertContext,
  table: OpenTable,
  { key, records }: { readonly key: string; readonly records: readonly RecordInput[] },
  pathOf: RecordPath = (index) => `/records/${index}`,
): Promise<UpsertResult> {
  const { column, all } = await table.parse(() => {
    const keyColumn = findKeyColumn(table.schema, key);
    return { column: keyColumn, all: parseKeys(table, keyColumn, records, pathOf) };
  });
  assertMayWriteKeys(table, column, all);
  const done = new Map<KeyedInput, TableRecord>();
  const changes: RecordChange[] = [];
  const present: string[] = [];
  let created = 0;
  let left = all;
  for (let round = 0; left.length > 0; round += 1) {
    if (round === ROUNDS_MAX)
      throw new StaleRead({ cause: "The keys changed several times during the request." });
    const stored = await lockByKeys(ctx, table, column, left);
    const existing = left.flatMap((item) => {
      const before = stored.get(textOf(item.key));
      return before ? [{ item, before }] : [];
    });
    const results = await updateEach(
      ctx,
      table,
      existing.map(({ item: { input, path }, before }) => ({ before, input, path })),
    );
    for (const [index, { item, before }] of existing.entries()) {
      const { record, isChanged } = results[index] ?? { record: undefined, isChanged: false };
      present.push(before.id);
      if (record) done.set(item, record);
      if (record && isChanged) changes.push({ before, after: record });
    }
    const missing = left.filter((item) => !done.has(item));
    const inserted = await insertMissing(ctx, table, column, missing);
    for (const [item, record] of inserted) done.set(item, record);
    created += inserted.size;
    left = missing.filter((item) => !inserted.has(item));
  }
  const updated = changes.length;
  const unchanged = all.length - created - updated;
  const ordered = all.flatMap((item) => done.get(item) ?? []);
  return { created, updated, unchanged, records: ordered, changes, existing: present };
}

/** The key column; `path` is its path in the request. */
export function findKeyColumn({ byName }: TableSchema, key: string, path = "/key"): ColumnSchema {
  const column = byName.get(key);
  if (column?.unique && !column.columnType.generated) return column;
  const message = column
    ? "is not a unique column that you can write"
    : "is not a field of this table";
  throw invalidInput([{ path, message }]);
}

/** A requested record with its canonical key. */
interface KeyedInput {
  readonly key: Json;
  readonly input: RecordInput;
  readonly path: string;
}

function textOf(key: Json): string {
  return JSON.stringify(key);
}

function parseKeys(
  table: OpenTable,
  column: ColumnSchema,
  records: readonly RecordInput[],
  pathOf: RecordPath,
): readonly KeyedInput[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const keyed = records.flatMap((input, index): KeyedInput[] => {
    const path = pathOf(index);
    const reject = (message: string): [] => {
      errors.push({ path: `${path}/${column.name}`, message });
      return [];
    };
    const value = Object.hasOwn(input, column.name) ? input[column.name] : null;
    if (value === null) return reject("is required");
    const parsed = column.columnType.parse(value, column);
    if ("error" in parsed) return reject(parsed.error);
    const text = textOf(parsed.value);
    if (seen.has(text)) return reject("is already the key of an earlier record");
    seen.add(text);
    return [{ key: parsed.value, input, path }];
  });
  if (errors.length > 0) throw invalidRecord(table, errors.slice(0, FIELD_ERRORS_MAX));
  return keyed;
}

/** A caller who may not write the key in any record must not learn which records exist. */
function assertMayWriteKeys(
  table: OpenTable,
  { name }: ColumnSchema,
  keyed: readonly KeyedInput[],
): void {
  const [createGrants, updateGrants] = [table.grants("create"), table.grants("update")];
  if (!createGrants || !updateGrants) return;
  // The record is irrelevant, because no condition is left.
  const grants = [...createGrants, ...updateGrants].map(({ fields }) => ({
    where: null,
    fields,
    paths: [],
  }));
  assertNoViolations(
    table,
    keyed.flatMap(({ path, input }) =>
      createViolations(grants, { record: input as TableRecord, named: [name], path }),
    ),
  );
}

/** Locks the records that have these keys; by their keys. */
async function lockByKeys(
  ctx: UpsertContext,
  table: OpenTable,
  { name, quoted, columnType }: ColumnSchema,
  keyed: readonly KeyedInput[],
): Promise<ReadonlyMap<string, TableRecord>> {
  const where = `${quoted} = any($1::${columnType.parameterType}[])`;
  const values = [keyed.map(({ key }) => columnType.store(key))];
  const lock = { strength: "for no key update", budget: new RecordBudget() } as const;
  const ids = await lockWhere(ctx, table, { where, values }, lock);
  const records = await readRecords(ctx, table, ids);
  return new Map(records.map((record) => [textOf(record[name] ?? null), record]));
}

/** Inserts the records whose keys are free. Waits for concurrent transactions with the same key. */
async function insertMissing(
  ctx: UpsertContext,
  table: OpenTable,
  column: ColumnSchema,
  missing: readonly KeyedInput[],
): Promise<ReadonlyMap<KeyedInput, TableRecord>> {
  if (missing.length === 0) return new Map();
  const writes = await prepareInserts(ctx, table, missing);
  // Sorted by key, so that two transactions with the same keys do not deadlock.
  const ordered = writes.toSorted((a, b) =>
    compareKeys(a.record[column.name], b.record[column.name]),
  );
  const { writable, insertManyParts } = recordStatements(table.schema);
  const text = insertManyParts.join(` on conflict (${column.quoted}) do nothing `);
  const { createdAt, createdBy } = writes[0]?.record ?? {};
  const byPath = new Map<string, TableRecord | undefined>();
  for (const slice of sliceWrites(table.schema, ordered)) {
    // Emits the events of the previous batch here: writing all of them at the end would block the event loop for
    // too long.
    if (byPath.size > 0) ctx.flush();
    const values = [createdAt, createdBy, ...batchParameters(writable, slice)];
    const rows = await explainBatchError(ctx, table, slice, () => ctx.send<SqlRow>(text, values));
    const ids = new Set(rows.map(({ id }) => id));
    const inserted = slice.filter(({ record }) => ids.has(record.id));
    const records = await emitCreated(ctx, table, inserted, rows);
    for (const [index, { path }] of inserted.entries()) byPath.set(path, records[index]?.record);
  }
  return new Map(
    missing.flatMap((item) => {
      const record = byPath.get(item.path);
      return record ? [[item, record]] : [];
    }),
  );
}

function compareKeys(left: Json | undefined, right: Json | undefined): number {
  const [a, b] = [left ?? "", right ?? ""];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
