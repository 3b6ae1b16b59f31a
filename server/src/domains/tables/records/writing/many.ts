/** Many records in one statement: their values as lists, and which of them is at fault. */
import type { Fault } from "#kernel/failure.ts";
import type { WriteContext } from "#kernel/operation.ts";
import { arrayText } from "../../columns/array-text.ts";
import { targetOf } from "../../columns/reference.ts";
import { maybeTableOf } from "../../catalog.ts";
import type { KnownColumn, KnownTable } from "../../known-table.ts";
import { type Row, rowsOf } from "#kernel/db/statement.ts";
import { planOf } from "./plan.ts";
import type { Writing } from "../rights.ts";
import { explained, invalid, isAboutOthers, NO_RECORD, notUnique, TAKEN } from "./violation.ts";

/** The ids of records and then, column by column, their values: what `listsOf` makes rows of. */
export function parametersOf(
  columns: readonly KnownColumn[],
  writings: readonly Pick<Writing, "record">[],
): unknown[] {
  const lists = columns.map(({ name, is }) => {
    const isList = is.parameterType.endsWith("[]");
    return writings.map(({ record }) => {
      const value = record[name];
      if (value === null || value === undefined) return null;
      const stored = is.store(value);
      return isList ? arrayText(stored as readonly string[]) : stored;
    });
  });
  return [writings.map(({ record }) => record.id), ...lists];
}

/**
 * Writes many records at once. PostgreSQL tells what a record breaks, but not which one it is: that is
 * found out afterwards, where it was undone.
 */
export async function explainMany(
  ctx: WriteContext<never>,
  table: KnownTable,
  writings: readonly Writing[],
  write: () => Promise<Row[]>,
): Promise<readonly Row[]> {
  void ctx.send("savepoint records", []);
  try {
    return await write();
  } catch (error) {
    if (isAboutOthers(error)) {
      await ctx.send("rollback to savepoint records", []);
      const taken = await takenIn(ctx, table, writings);
      if (taken.length > 0) throw notUnique(taken);
      const missing = await missingIn(ctx, table, writings);
      if (missing.length > 0) throw invalid(missing);
    }
    throw explained(ctx, table)(error);
  }
}

const FAULTS_MAX = 100;

/** The values of unique columns that another record has, one among these included. */
async function takenIn(
  { tx }: WriteContext<never>,
  table: KnownTable,
  writings: readonly Writing[],
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const column of planOf(table).unique) {
    const { name, quoted, is } = column;
    const given = writings.filter(({ record }) => record[name] !== null);
    const text =
      `select id, ${quoted} as value from ${table.place} ` +
      `where ${quoted} = any($1::${is.parameterType}[])`;
    const rows = await rowsOf(tx, text, [
      given.map(({ record }) => is.store(record[name] ?? null)),
    ]);
    const owners = new Map(rows.map(({ id, value }) => [is.show(value), id]));
    for (const { record, path } of given) {
      const value = record[name] ?? null;
      const owner = owners.get(value);
      if (owner === undefined) owners.set(value, record.id);
      else if (owner !== record.id) faults.push({ path: `${path}/${name}`, message: TAKEN });
    }
  }
  return faults.slice(0, FAULTS_MAX);
}

/** The references that lead nowhere. */
async function missingIn(
  ctx: WriteContext<never>,
  table: KnownTable,
  writings: readonly Writing[],
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const column of table.columns) {
    const target = targetOf(column);
    const other = target === undefined ? undefined : await maybeTableOf(ctx, target);
    if (!other) continue;
    const { name } = column;
    const given = writings.filter(({ record }) => record[name] !== null);
    const text = `select id from ${other.place} where id = any($1::text[])`;
    const rows = await rowsOf(ctx.tx, text, [given.map(({ record }) => record[name])]);
    const found = new Set(rows.map(({ id }) => id));
    for (const { record, path } of given) {
      if (!found.has(record[name])) faults.push({ path: `${path}/${name}`, message: NO_RECORD });
    }
  }
  return faults.slice(0, FAULTS_MAX);
}
