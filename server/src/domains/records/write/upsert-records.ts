import { StaleRead } from "#kernel/db/errors.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Json } from "#domains/tables/columns/column-type.ts";
import type { ColumnSchema, TableSchema } from "#domains/tables/schema/table-schema.ts";
import { readWithTable } from "#domains/tables/schema/table-cache.ts";
import { FIELD_ERRORS_MAX } from "#domains/tables/table.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { recordsById } from "./dependents.ts";
import { RecordCreated, RecordUpdated } from "../events.ts";
import { changeMany } from "./update-many.ts";
import { explainBatchError, batchParameters } from "./batch-parameters.ts";
import { RecordBudget, lockWhere } from "./lock-matching.ts";
import { recordStatements } from "../record-statements.ts";
import { createViolations, assertAllowed, recordGrants } from "../record-access.ts";
import type { TableRecord } from "../table-record.ts";
import { invalidRecord } from "./constraint-error.ts";
import { newRecords, type RecordInput, type PathOf, emitCreated } from "./insert-records.ts";

type Upserting = WriteContext<typeof RecordCreated | typeof RecordUpdated>;

export interface Upserted {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** In the order in which they were given. */
  readonly records: readonly TableRecord[];
}

/** Others may make and delete records with the same keys all the while, but hardly so often. */
const ROUNDS_MAX = 5;

/**
 * Makes the records whose keys no record has, and changes the others; all or none. Two who do this
 * with one key at the same time take turns: the second finds what the first has made.
 */
export async function upsertRecords(
  ctx: Upserting,
  table: TableSchema,
  { key, records }: { readonly key: string; readonly records: readonly RecordInput[] },
  pathOf: PathOf = (index) => `/records/${index}`,
): Promise<Upserted> {
  const { column, all } = await readWithTable(ctx, table, () => {
    const found = keyColumnOf(table, key);
    return { column: found, all: keyedOf(found, records, pathOf) };
  });
  assertMayName(ctx, table, column, all);
  const done = new Map<Keyed, TableRecord>();
  let created = 0;
  let updated = 0;
  let left = all;
  for (let round = 0; left.length > 0; round += 1) {
    if (round === ROUNDS_MAX) throw new StaleRead({ cause: "The keys have no rest." });
    const found = await holdByKeys(ctx, table, column, left);
    const there = left.flatMap((one) => {
      const before = found.get(textOf(one.key));
      return before ? [{ one, before }] : [];
    });
    const changed = await changeMany(
      ctx,
      table,
      there.map(({ one, before }) => ({ before, given: one.given, path: one.path })),
    );
    for (const [index, { one }] of there.entries()) {
      const { record, isChanged } = changed[index] ?? { record: undefined, isChanged: false };
      if (record) done.set(one, record);
      if (isChanged) updated += 1;
    }
    const fresh = left.filter((one) => !done.has(one));
    const made = await insertFresh(ctx, table, column, fresh);
    for (const [one, record] of made) done.set(one, record);
    created += made.size;
    left = fresh.filter((one) => !made.has(one));
  }
  const unchanged = all.length - created - updated;
  return { created, updated, unchanged, records: all.flatMap((one) => done.get(one) ?? []) };
}

/** A record with what it is known by, in its canonical form. */
interface Keyed {
  readonly key: Json;
  readonly given: RecordInput;
  readonly path: string;
}

function textOf(key: Json): string {
  return JSON.stringify(key);
}

/** The column that records are found by; `path` is where it was named. */
export function keyColumnOf({ byName }: TableSchema, key: string, path = "/key"): ColumnSchema {
  const column = byName.get(key);
  if (column?.unique && !column.columnType.generated) return column;
  const message = column
    ? "is not a unique column that records are given a value in"
    : "is not a field of this table";
  throw invalidRecord([{ path, message }]);
}

function keyedOf(
  column: ColumnSchema,
  records: readonly RecordInput[],
  pathOf: PathOf,
): readonly Keyed[] {
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  const keyed = records.flatMap((given, index): Keyed[] => {
    const path = pathOf(index);
    const fault = (message: string): [] => {
      faults.push({ path: `${path}/${column.name}`, message });
      return [];
    };
    const value = Object.hasOwn(given, column.name) ? given[column.name] : null;
    if (value === null) return fault("is required");
    const read = column.columnType.parse(value, column);
    if ("error" in read) return fault(read.error);
    const text = textOf(read.value);
    if (seen.has(text)) return fault("is the key of an earlier record");
    seen.add(text);
    return [{ key: read.value, given, path }];
  });
  if (faults.length > 0) throw invalidRecord(faults.slice(0, FIELD_ERRORS_MAX));
  return keyed;
}

/** Who may write a key in no record at all must not learn from it which there are. */
function assertMayName(
  { caller }: Upserting,
  table: TableSchema,
  { name }: ColumnSchema,
  keyed: readonly Keyed[],
): void {
  const [making, changing] = [
    recordGrants(table, "create", caller),
    recordGrants(table, "update", caller),
  ];
  if (!making || !changing) return;
  // Whatever a record is like: no condition is left that would look at it.
  const grants = [...making, ...changing].map(({ fields }) => ({ where: null, fields }));
  assertAllowed(
    keyed.flatMap(({ path, given }) =>
      createViolations(grants, { record: given as TableRecord, named: [name], path }),
    ),
  );
}

/** The records that have these keys, by their keys, held until the act ends. */
async function holdByKeys(
  ctx: Upserting,
  table: TableSchema,
  { name, quoted, columnType }: ColumnSchema,
  keyed: readonly Keyed[],
): Promise<ReadonlyMap<string, TableRecord>> {
  const where = `${quoted} = any($1::${columnType.parameterType}[])`;
  const values = [keyed.map(({ key }) => columnType.store(key))];
  const hold = { hold: "for no key update", budget: new RecordBudget() } as const;
  const ids = await lockWhere(ctx, table, { where, values }, hold);
  const records = await recordsById(ctx, table, ids);
  return new Map(records.map((record) => [textOf(record[name] ?? null), record]));
}

/** Makes those whose keys are still free. Who makes one at the same time is waited for. */
async function insertFresh(
  ctx: Upserting,
  table: TableSchema,
  column: ColumnSchema,
  fresh: readonly Keyed[],
): Promise<ReadonlyMap<Keyed, TableRecord>> {
  if (fresh.length === 0) return new Map();
  const drafts = await newRecords(ctx, table, fresh);
  // In the order of their keys: two with the same ones do not lock each other out.
  const order = drafts.toSorted((a, b) => compare(a.record[column.name], b.record[column.name]));
  const { writable, insertManyParts } = recordStatements(table);
  const text = insertManyParts.join(` on conflict (${column.quoted}) do nothing `);
  const { createdAt, createdBy } = drafts[0]?.record ?? {};
  const values = [createdAt, createdBy, ...batchParameters(writable, order)];
  const rows = await explainBatchError(ctx, table, order, () => ctx.send<SqlRow>(text, values));
  const ids = new Set(rows.map(({ id }) => id));
  const made = drafts.filter(({ record }) => ids.has(record.id));
  const records = emitCreated(ctx, table, made, rows);
  const byPath = new Map(made.map(({ path }, index) => [path, records[index]?.record]));
  return new Map(
    fresh.flatMap((one) => {
      const record = byPath.get(one.path);
      return record ? [[one, record]] : [];
    }),
  );
}

function compare(left: Json | undefined, right: Json | undefined): number {
  const [a, b] = [left ?? "", right ?? ""];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
