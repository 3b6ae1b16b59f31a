import { parseFields } from "#domains/tables/columns/parse-fields.ts";
import type { ColumnSchema, TableSchema } from "#domains/tables/schema/table-schema.ts";
import { FIELD_ERRORS_MAX, SYSTEM_COLUMNS } from "#domains/tables/table.ts";
import type { Principal } from "#kernel/access/caller.ts";
import type { CsvFile, CsvRow } from "#kernel/csv/parse-csv.ts";
import { Failure, type FieldError } from "#kernel/operation/failure.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { RecordCreated, RecordUpdated } from "../events.ts";
import { invalidRecord } from "../write/constraint-error.ts";
import { type RecordInput, insertRecords } from "../write/insert-records.ts";
import { keyColumnOf, upsertRecords } from "../write/upsert-records.ts";

/** What the cells of a CSV file mean to a table. */

/** Reads rows as the fields of records. */
interface Mapping {
  readonly table: TableSchema;
  /** For each cell the column that it is for; undefined where the platform fills that itself. */
  readonly columns: readonly (ColumnSchema | undefined)[];
}

const OWN: ReadonlySet<string> = new Set(SYSTEM_COLUMNS.map(([field]) => field));

/** Finds the columns that a header names; what is not a field of the table is refused. */
function mappingOf(table: TableSchema, header: readonly string[]): Mapping {
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  const columns = header.map((name) => {
    const fault = (message: string): undefined => {
      faults.push({ path: `line 1/${name}`, message });
    };
    if (seen.has(name)) return fault("is there twice");
    seen.add(name);
    if (OWN.has(name)) return undefined;
    const column = table.byName.get(name);
    if (!column) return fault("is not a field of this table");
    return column.columnType.generated ? undefined : column;
  });
  if (faults.length > 0) throw invalidRecord(faults);
  return { table, columns };
}

/** How faults name a row. */
function pathOf({ line }: CsvRow): string {
  return `line ${line}`;
}

/** What is wrong with a row as such. */
function shapeFaults({ columns }: Mapping, row: CsvRow): FieldError[] {
  if (row.cells.length === columns.length) return [];
  const message = `has ${row.cells.length} cells, and the first line ${columns.length}`;
  return [{ path: pathOf(row), message }];
}

/**
 * The fields that a row gives. An empty cell is null, or says nothing where there must be a value: then
 * the default is taken, or what is there stays.
 */
function givenBy({ columns }: Mapping, { cells }: CsvRow): RecordInput {
  const given: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    if (!column) continue;
    const cell = cells[index] ?? null;
    // Only a text can be there and empty.
    const isEmpty = cell === null || (cell === "" && column.type !== "text");
    if (!isEmpty) given[column.name] = column.columnType.parseCell(cell, column);
    else if (!column.required) given[column.name] = null;
  }
  return given;
}

export type Importing = WriteContext<typeof RecordCreated | typeof RecordUpdated>;

/** Who imports and when, what to do about rows that can't be, and about records that are there. */
export interface ImportPlan {
  readonly now: Date;
  readonly person: Principal | undefined;
  readonly onError: "abort" | "skip";
  /** The unique field by which records are found that are to be changed. */
  readonly key?: string | undefined;
}

export interface Imported {
  readonly imported: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly errors: FieldError[];
}

const BATCH_ROWS_MAX = 1_000;

/** The rows that look right, and what is wrong with the others. */
export interface Sifted {
  readonly header: readonly string[];
  readonly rows: readonly CsvRow[];
  readonly skipped: number;
  readonly faults: readonly FieldError[];
}

/**
 * Looks at every row before there is a transaction. What only the database knows, such as who has a
 * unique value already, comes to light later.
 */
export async function sift(
  table: TableSchema,
  { header, rows }: CsvFile,
  plan: ImportPlan,
): Promise<Sifted> {
  const mapping = mappingOf(table, header);
  const judge = judgeOf(mapping, plan);
  const faults: FieldError[] = [];
  const sound: CsvRow[] = [];
  for (const [index, row] of rows.entries()) {
    const found = judge(row);
    if (found.length === 0) sound.push(row);
    else if (faults.length < FIELD_ERRORS_MAX) faults.push(...found);
    // Others want to be served too.
    if (index % BATCH_ROWS_MAX === 0) await new Promise(setImmediate);
  }
  if (faults.length > 0 && plan.onError === "abort")
    throw invalidRecord(faults.slice(0, FIELD_ERRORS_MAX));
  return { header, rows: sound, skipped: rows.length - sound.length, faults };
}

/** What is wrong with a row, seen by itself and after those before it. */
function judgeOf(
  mapping: Mapping,
  { key, now, person }: ImportPlan,
): (row: CsvRow) => readonly FieldError[] {
  const { table } = mapping;
  const column = key === undefined ? undefined : keyColumnOf(table, key, "?key");
  const keys = new Set<string>();
  return (row) => {
    const wrong = shapeFaults(mapping, row);
    if (wrong.length > 0) return wrong;
    const given = givenBy(mapping, row);
    // Of a record that may be there already, not everything must be said.
    const read = parseFields(table, given, {
      for: column ? "update" : "create",
      now,
      person,
    });
    const at = pathOf(row);
    if ("errors" in read) {
      return read.errors.map(({ path, message }) => ({ path: at + path, message }));
    }
    if (!column) return [];
    const value = read.values[column.name] ?? null;
    const text = JSON.stringify(value);
    const isTwice = keys.has(text);
    keys.add(text);
    if (value !== null && !isTwice) return [];
    const message = value === null ? "is required" : "is the key of an earlier line";
    return [{ path: `${at}/${column.name}`, message }];
  };
}

/** Does all of an import that can be undone, undoes it, and tells what would have come of it. */
export async function rehearsed<T>(ctx: Importing, work: () => Promise<T>): Promise<T> {
  const done: T[] = [];
  const undo = new Error("This was only to see.");
  try {
    await ctx.savepoint(async () => {
      // Whether it would have gone well is known when every answer is there.
      done.push(await ctx.savepoint(work));
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  // It got as far as to be undone, so there is one.
  return done[0] as T;
}

/** Makes and changes the records, batch by batch in the one transaction. */
export async function importRows(
  ctx: Importing,
  table: TableSchema,
  { header, rows, skipped, faults }: Sifted,
  plan: ImportPlan,
): Promise<Imported> {
  const mapping = mappingOf(table, header);
  const sum = { imported: 0, updated: 0, unchanged: 0, skipped };
  const errors = [...faults];
  for (let start = 0; start < rows.length; start += BATCH_ROWS_MAX) {
    const waiting: (readonly CsvRow[])[] = [rows.slice(start, start + BATCH_ROWS_MAX)];
    for (let batch = waiting.pop(); batch; batch = waiting.pop()) {
      const result = await write(ctx, mapping, batch, plan);
      if ("left" in result) {
        sum.skipped += result.failed;
        errors.push(...result.faults);
        // The last one is next: what comes first in the file is there for what comes later.
        waiting.push(...result.left.filter((part) => part.length > 0).toReversed());
        continue;
      }
      sum.imported += result.imported;
      sum.updated += result.updated;
      sum.unchanged += result.unchanged;
      ctx.flush();
    }
  }
  return { ...sum, errors: errors.slice(0, FIELD_ERRORS_MAX) };
}

type Written = Pick<Imported, "imported" | "updated" | "unchanged"> | Unwritten;

/** A batch that could not be written: how many of its rows are given up, and what is left to be tried. */
interface Unwritten {
  readonly failed: number;
  readonly faults: readonly FieldError[];
  readonly left: readonly (readonly CsvRow[])[];
}

/** One batch, or what to do about it when some of its rows stand in the way of the others. */
async function write(
  ctx: Importing,
  mapping: Mapping,
  rows: readonly CsvRow[],
  { key, onError }: ImportPlan,
): Promise<Written> {
  const { table } = mapping;
  const records = rows.map((row) => givenBy(mapping, row));
  const paths = rows.map(pathOf);
  const at = (index: number): string => paths[index] ?? "";
  const all = async (): Promise<Written> => {
    if (key === undefined) {
      const made = await insertRecords(ctx, table, records, at);
      return { imported: made.length, updated: 0, unchanged: 0 };
    }
    const { created, updated, unchanged } = await upsertRecords(ctx, table, { key, records }, at);
    return { imported: created, updated, unchanged };
  };
  if (onError === "abort") return all();
  try {
    return await ctx.savepoint(all);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return withoutGuilty(error, rows);
  }
}

/** The rows that a failure names are left out. Where it names none, halves will tell which it is about. */
function withoutGuilty(failure: Failure, rows: readonly CsvRow[]): Unwritten {
  const faults = failure.particulars.errors ?? [];
  const named = new Set(faults.map(({ path }) => path.split("/")[0]));
  const innocent = rows.filter((row) => !named.has(pathOf(row)));
  const failed = rows.length - innocent.length;
  if (failed > 0) return { failed, faults, left: [innocent] };
  // What is no row's fault is everybody's.
  if (rows.length === 1) throw failure;
  const middle = Math.ceil(rows.length / 2);
  return { failed, faults: [], left: [rows.slice(0, middle), rows.slice(middle)] };
}
