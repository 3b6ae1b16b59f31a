/** Builds parameters for writing many records in one statement, and maps errors back to records. */
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { SqlParameters, type SqlRow, queryRows } from "#kernel/db/statement.ts";
import {
  type ColumnSchema,
  FIELD_ERRORS_MAX,
  type OpenTable,
  toArrayLiteral,
} from "#domains/tables/index.ts";
import { recordStatements } from "../record-statements.ts";
import type { RecordWrite } from "../record.ts";
import {
  explainConstraint,
  invalidRecord,
  isAboutOthers,
  NO_RECORD,
  notUnique,
  VALUE_TAKEN,
} from "./constraint-error.ts";

/** The ids of records, then their values column by column: the parameters of `unnestSql`. */
export function batchParameters(
  columns: readonly ColumnSchema[],
  writes: readonly Pick<RecordWrite, "record">[],
): unknown[] {
  const lists = columns.map(({ name, columnType }) => {
    const isList = columnType.parameterType.endsWith("[]");
    return writes.map(({ record }) => {
      const value = record[name];
      if (value === null || value === undefined) return null;
      const stored = columnType.store(value);
      return isList ? toArrayLiteral(stored as readonly string[]) : stored;
    });
  });
  return [writes.map(({ record }) => record.id), ...lists];
}

/** The maximum number of values per statement; between statements, the event loop serves other requests. */
const STATEMENT_VALUES_MAX = 10_000;

/** The records that one statement writes: fewer for tables with many columns. */
export function* sliceWrites<T>(
  { columns }: OpenTable["schema"],
  writes: readonly T[],
): Generator<readonly T[]> {
  const count = Math.max(1, Math.floor(STATEMENT_VALUES_MAX / Math.max(1, columns.length)));
  for (let start = 0; start < writes.length; start += count) {
    yield writes.slice(start, start + count);
  }
}

/**
 * Explains the error of a batch. PostgreSQL reports the violated constraint, but not the record; the record is
 * determined after the statement was rolled back.
 */
export async function explainBatchError(
  ctx: WriteContext<never>,
  table: OpenTable,
  writes: readonly RecordWrite[],
  write: () => Promise<SqlRow[]>,
): Promise<readonly SqlRow[]> {
  void ctx.send("savepoint records", []);
  try {
    return await write();
  } catch (error) {
    // If there is only one record, the error belongs to it.
    const path = writes.length === 1 ? writes[0]?.path : "";
    const failure = explainConstraint(table, path)(error);
    if (isAboutOthers(error)) {
      await ctx.send("rollback to savepoint records", []);
      const taken = await findTakenValues(ctx, table, writes);
      if (taken.length > 0) throw notUnique(table, taken);
      const missing = await findMissingReferences(ctx, table, writes);
      if (missing.length > 0) throw invalidRecord(table, missing);
    } else if (failure instanceof Failure && writes.length > 1) {
      await ctx.send("rollback to savepoint records", []);
      const refused = await findRefusedRecords(ctx, table, writes);
      if (refused.length > 0) throw invalidRecord(table, refused);
    }
    throw failure;
  }
}

/** Errors for unique values used by another record, including records of the same request. */
async function findTakenValues(
  ctx: WriteContext<never>,
  table: OpenTable,
  writes: readonly RecordWrite[],
): Promise<FieldError[]> {
  const { schema } = table;
  const columns = recordStatements(schema).unique.map(({ name }) => [name]);
  const indexes = schema.indexes.filter(({ unique }) => unique).map((index) => index.columns);
  const errors: FieldError[] = [];
  for (const fields of [...columns, ...indexes]) {
    // Unique keys with a null never conflict; a generated value is null here too.
    const complete = writes.filter(({ record }) => fields.every((field) => record[field] !== null));
    const owners = await findOwners(ctx, table, fields, complete);
    const first = new Map<string, string>();
    for (const { record, path } of complete) {
      const value = JSON.stringify(fields.map((field) => record[field]));
      const owner = owners.get(record.id) ?? first.get(value) ?? record.id;
      first.set(value, owner);
      if (owner === record.id) continue;
      errors.push(...fields.map((field) => ({ path: `${path}/${field}`, message: VALUE_TAKEN })));
    }
  }
  return errors.slice(0, FIELD_ERRORS_MAX);
}

/** The stored records with the same unique values, by the ids of the records to write. */
async function findOwners(
  { tx }: WriteContext<never>,
  table: OpenTable,
  fields: readonly string[],
  writes: readonly RecordWrite[],
): Promise<ReadonlyMap<string, string>> {
  const { schema } = table;
  const parameters = new SqlParameters([writes.map(({ record }) => record.id)]);
  const lists = fields.map((field) => {
    const columnType = schema.byName.get(field)?.columnType;
    const values = writes.map(({ record }) => {
      const value = record[field] ?? null;
      return columnType ? columnType.store(value) : value;
    });
    return parameters.add(values, `${columnType?.parameterType ?? systemTypeOf(field)}[]`);
  });
  const names = fields.map((_, index) => `c${index}`);
  const same = fields.map((field, index) => `t.${table.columnSql(field)} = r.c${index}`);
  const text =
    `select r.id as "mine", t.id as "owner" from ${schema.view} as t ` +
    `join unnest($1::text[], ${lists.join(", ")}) as r (id, ${names.join(", ")}) ` +
    `on ${same.join(" and ")}`;
  const rows = await queryRows(tx, text, parameters.values);
  return new Map(rows.map(({ mine, owner }) => [mine as string, owner as string]));
}

/** The type of a system field. */
function systemTypeOf(field: string): string {
  return field.endsWith("At") ? "timestamptz" : "text";
}

/**
 * Finds the new records rejected by PostgreSQL, such as a text too long for an index. Inserts smaller and
 * smaller parts in a transaction that is rolled back anyway. Existing records are not reported because they
 * can't be inserted.
 */
async function findRefusedRecords(
  ctx: WriteContext<never>,
  table: OpenTable,
  writes: readonly RecordWrite[],
): Promise<readonly FieldError[]> {
  const [first, ...others] = writes;
  if (!first) return [];
  const { insertMany, writable } = recordStatements(table.schema);
  const { createdAt, createdBy } = first.record;
  void ctx.send("savepoint records", []);
  try {
    await ctx.send(insertMany, [createdAt, createdBy, ...batchParameters(writable, writes)]);
    return [];
  } catch (error) {
    await ctx.send("rollback to savepoint records", []);
    if (isAboutOthers(error)) return [];
    const failure = explainConstraint(table, first.path)(error);
    if (!(failure instanceof Failure)) throw failure;
    if (others.length === 0) return failure.particulars.errors ?? [];
    const middle = Math.ceil(writes.length / 2);
    const errors = await findRefusedRecords(ctx, table, writes.slice(0, middle));
    if (errors.length >= FIELD_ERRORS_MAX) return errors;
    return [...errors, ...(await findRefusedRecords(ctx, table, writes.slice(middle)))];
  }
}

/** Returns errors for references to missing records. */
async function findMissingReferences(
  ctx: WriteContext<never>,
  table: OpenTable,
  writes: readonly RecordWrite[],
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const { name, target } of table.schema.columns) {
    const other = target === undefined ? undefined : await table.find(target);
    if (!other) continue;
    const referring = writes.filter(({ record }) => record[name] !== null);
    const text = `select id from ${other.schema.view} where id = any($1::text[])`;
    const rows = await queryRows(ctx.tx, text, [referring.map(({ record }) => record[name])]);
    const found = new Set(rows.map(({ id }) => id));
    for (const { record, path } of referring) {
      if (!found.has(record[name])) errors.push({ path: `${path}/${name}`, message: NO_RECORD });
    }
  }
  return errors.slice(0, FIELD_ERRORS_MAX);
}
