/** Many records in one statement: their values as lists, and which of them is at fault. */
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { toArrayLiteral } from "#domains/tables/columns/enum-values.ts";
import { targetOf } from "#domains/tables/columns/reference.ts";
import { lookupTable } from "#domains/tables/schema/table-cache.ts";
import { quotedColumn } from "#domains/tables/sql-names.ts";
import type { ColumnSchema, TableSchema } from "#domains/tables/schema/table-schema.ts";
import { FIELD_ERRORS_MAX } from "#domains/tables/table.ts";
import { SqlParameters, type SqlRow, queryRows } from "#kernel/db/statement.ts";
import { recordStatements } from "../record-statements.ts";
import type { WriteContextOfRecord } from "../record-access.ts";
import {
  explainConstraint,
  invalidRecord,
  isAboutOthers,
  NO_RECORD,
  notUnique,
  VALUE_TAKEN,
} from "./constraint-error.ts";

/** The ids of records and then, column by column, their values: what `listsOf` makes rows of. */
export function batchParameters(
  columns: readonly ColumnSchema[],
  writings: readonly Pick<WriteContextOfRecord, "record">[],
): unknown[] {
  const lists = columns.map(({ name, columnType }) => {
    const isList = columnType.parameterType.endsWith("[]");
    return writings.map(({ record }) => {
      const value = record[name];
      if (value === null || value === undefined) return null;
      const stored = columnType.store(value);
      return isList ? toArrayLiteral(stored as readonly string[]) : stored;
    });
  });
  return [writings.map(({ record }) => record.id), ...lists];
}

/**
 * Writes many records at once. PostgreSQL tells what a record breaks, but not which one it is: that is
 * found out afterwards, where it was undone.
 */
export async function explainBatchError(
  ctx: WriteContext<never>,
  table: TableSchema,
  writings: readonly WriteContextOfRecord[],
  write: () => Promise<SqlRow[]>,
): Promise<readonly SqlRow[]> {
  void ctx.send("savepoint records", []);
  try {
    return await write();
  } catch (error) {
    // Of one alone there is no question which it is.
    const failure = explainConstraint(
      ctx,
      table,
      writings.length === 1 ? writings[0]?.path : "",
    )(error);
    if (isAboutOthers(error)) {
      await ctx.send("rollback to savepoint records", []);
      const taken = await takenIn(ctx, table, writings);
      if (taken.length > 0) throw notUnique(taken);
      const missing = await missingIn(ctx, table, writings);
      if (missing.length > 0) throw invalidRecord(missing);
    } else if (failure instanceof Failure && writings.length > 1) {
      await ctx.send("rollback to savepoint records", []);
      const refused = await refusedIn(ctx, table, writings);
      if (refused.length > 0) throw invalidRecord(refused);
    }
    throw failure;
  }
}

/** The values that another record has where each has its own, one among these included. */
async function takenIn(
  ctx: WriteContext<never>,
  table: TableSchema,
  writings: readonly WriteContextOfRecord[],
): Promise<FieldError[]> {
  const columns = recordStatements(table).unique.map(({ name }) => [name]);
  const indexes = table.indexes.filter(({ unique }) => unique).map((index) => index.columns);
  const faults: FieldError[] = [];
  for (const fields of [...columns, ...indexes]) {
    // With a null among them, values may be anybody's; what the database has yet to fill is null here too.
    const given = writings.filter(({ record }) => fields.every((field) => record[field] !== null));
    const owners = await ownersOf(ctx, table, fields, given);
    const first = new Map<string, string>();
    for (const { record, path } of given) {
      const value = JSON.stringify(fields.map((field) => record[field]));
      const owner = owners.get(record.id) ?? first.get(value) ?? record.id;
      first.set(value, owner);
      if (owner === record.id) continue;
      faults.push(...fields.map((field) => ({ path: `${path}/${field}`, message: VALUE_TAKEN })));
    }
  }
  return faults.slice(0, FIELD_ERRORS_MAX);
}

/** Which stored record has the values that a record is to have in these fields, by the id of the latter. */
async function ownersOf(
  { tx }: WriteContext<never>,
  table: TableSchema,
  fields: readonly string[],
  given: readonly WriteContextOfRecord[],
): Promise<ReadonlyMap<string, string>> {
  const parameters = new SqlParameters([given.map(({ record }) => record.id)]);
  const lists = fields.map((field) => {
    const is = table.byName.get(field)?.columnType;
    const values = given.map(({ record }) => {
      const value = record[field] ?? null;
      return is ? is.store(value) : value;
    });
    return parameters.add(values, `${is?.parameterType ?? ownTypeOf(field)}[]`);
  });
  const names = fields.map((_, index) => `c${index}`);
  const same = fields.map((field, index) => `t.${quotedColumn(field)} = r.c${index}`);
  const text =
    `select r.id as "mine", t.id as "owner" from ${table.view} as t ` +
    `join unnest($1::text[], ${lists.join(", ")}) as r (id, ${names.join(", ")}) ` +
    `on ${same.join(" and ")}`;
  const rows = await queryRows(tx, text, parameters.values);
  return new Map(rows.map(({ mine, owner }) => [mine as string, owner as string]));
}

/** The type of a field that every record has. */
function ownTypeOf(field: string): string {
  return field.endsWith("At") ? "timestamptz" : "text";
}

/**
 * The new records that a table refuses for what they are, such as a text too long for an index. PostgreSQL
 * is asked by making ever smaller parts of them, and the act that asks is undone. A record that is there
 * already can't be made, and is not named.
 */
async function refusedIn(
  ctx: WriteContext<never>,
  table: TableSchema,
  writings: readonly WriteContextOfRecord[],
): Promise<readonly FieldError[]> {
  const [first, ...others] = writings;
  if (!first) return [];
  const { insertMany, writable } = recordStatements(table);
  const { createdAt, createdBy } = first.record;
  void ctx.send("savepoint records", []);
  try {
    await ctx.send(insertMany, [createdAt, createdBy, ...batchParameters(writable, writings)]);
    return [];
  } catch (error) {
    await ctx.send("rollback to savepoint records", []);
    if (isAboutOthers(error)) return [];
    const failure = explainConstraint(ctx, table, first.path)(error);
    if (!(failure instanceof Failure)) throw failure;
    if (others.length === 0) return failure.particulars.errors ?? [];
    const middle = Math.ceil(writings.length / 2);
    const faults = await refusedIn(ctx, table, writings.slice(0, middle));
    if (faults.length >= FIELD_ERRORS_MAX) return faults;
    return [...faults, ...(await refusedIn(ctx, table, writings.slice(middle)))];
  }
}

/** The references that lead nowhere. */
async function missingIn(
  ctx: WriteContext<never>,
  table: TableSchema,
  writings: readonly WriteContextOfRecord[],
): Promise<FieldError[]> {
  const faults: FieldError[] = [];
  for (const column of table.columns) {
    const target = targetOf(column);
    const other = target === undefined ? undefined : await lookupTable(ctx, target);
    if (!other) continue;
    const { name } = column;
    const given = writings.filter(({ record }) => record[name] !== null);
    const text = `select id from ${other.view} where id = any($1::text[])`;
    const rows = await queryRows(ctx.tx, text, [given.map(({ record }) => record[name])]);
    const found = new Set(rows.map(({ id }) => id));
    for (const { record, path } of given) {
      if (!found.has(record[name])) faults.push({ path: `${path}/${name}`, message: NO_RECORD });
    }
  }
  return faults.slice(0, FIELD_ERRORS_MAX);
}
