import {
  type ColumnSchema,
  FIELD_ERRORS_MAX,
  type OpenTable,
  SYSTEM_COLUMNS,
  type TableSchema,
} from "#domains/tables/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { CsvFile, CsvRow } from "#kernel/csv/parse-csv.ts";
import { Failure, type FieldError, invalidInput } from "#kernel/operation/failure.ts";
import type { RecordCreated, RecordUpdated } from "../events.ts";
import type { RecordInput } from "../record.ts";
import { titleErrors } from "../error-titles.ts";
import { invalidRecord } from "../write/constraint-error.ts";
import { insertRecords, nestErrors } from "../write/insert-records.ts";
import { findKeyColumn, upsertRecords } from "../write/upsert-records.ts";
import { fieldsOfHeader, type Header } from "./header.ts";
import { TurnTimer } from "#kernel/work/turn-timer.ts";

type ImportContext = WriteContext<typeof RecordCreated | typeof RecordUpdated>;

export interface ImportOptions {
  readonly now: Date;
  readonly onError: "abort" | "skip";
  readonly header: Header;
  /** The unique field that identifies the records to update. */
  readonly key?: string | undefined;
}

export interface ImportOutcome {
  readonly imported: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly errors: FieldError[];
}

/** The valid rows, and the errors of the invalid rows. */
export interface CheckedRows {
  readonly header: readonly string[];
  readonly rows: readonly CsvRow[];
  readonly skipped: number;
  readonly errors: readonly FieldError[];
}

const BATCH_ROWS_MAX = 1_000;
const BATCH_CHARACTERS_MAX = 262_144;

/**
 * Validates all rows before the transaction starts. Only the database can check the rest, such as duplicate unique
 * values.
 */
export async function checkRows(
  table: OpenTable,
  { header, rows }: CsvFile,
  options: ImportOptions,
): Promise<CheckedRows> {
  const columns = mapColumns(table.schema, header, options);
  const checkRow = rowChecker(table, columns, options);
  const errors: FieldError[] = [];
  const valid: CsvRow[] = [];
  const turn = new TurnTimer();
  for (const row of rows) {
    if (turn.isOver()) await turn.next();
    const found = checkRow(row);
    if (found.length === 0) valid.push(row);
    else if (errors.length < FIELD_ERRORS_MAX) errors.push(...found);
  }
  if (errors.length > 0 && options.onError === "abort")
    throw invalidRecord(table, errors.slice(0, FIELD_ERRORS_MAX));
  return { header, rows: valid, skipped: rows.length - valid.length, errors };
}

/** Runs work in a savepoint, rolls it back and returns its result. */
export async function rollBackAfter<T>(ctx: ImportContext, work: () => Promise<T>): Promise<T> {
  const results: T[] = [];
  const rollBack = new Error("A dry run is rolled back.");
  try {
    await ctx.savepoint(async () => {
      // Awaits the work inside the savepoint, so that an error surfaces here.
      results.push(await ctx.savepoint(work));
      throw rollBack;
    });
  } catch (error) {
    if (error !== rollBack) throw error;
  }
  // The work completed before the rollback, so there is a result.
  return results[0] as T;
}

/** Creates and updates the records in batches, in one transaction. */
export async function importRows(
  ctx: ImportContext,
  table: OpenTable,
  { header, rows, skipped, errors: rowErrors }: CheckedRows,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const columns = mapColumns(table.schema, header, options);
  const sum = { imported: 0, updated: 0, unchanged: 0, skipped };
  const errors = [...rowErrors];
  for (const first of batchesOf(rows)) {
    const batches: (readonly CsvRow[])[] = [first];
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const result = await writeBatch(ctx, table, { columns, rows: batch }, options);
      if ("left" in result) {
        sum.skipped += result.skipped;
        errors.push(...result.errors);
        // Try the first part next: later rows may refer to records of earlier rows.
        batches.push(...result.left.filter((part) => part.length > 0).toReversed());
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

/** The rows of one write: fewer if they are long. */
function* batchesOf(rows: readonly CsvRow[]): Generator<readonly CsvRow[]> {
  let batch: CsvRow[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    for (const cell of row.cells) characters += cell?.length ?? 0;
    if (batch.length < BATCH_ROWS_MAX && characters < BATCH_CHARACTERS_MAX) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The column of each cell in a row; undefined for system fields. */
type CellColumns = readonly (ColumnSchema | undefined)[];

const SYSTEM_FIELDS: ReadonlySet<string> = new Set(SYSTEM_COLUMNS.map(([field]) => field));

/** Finds the columns by the titles or names in a header; rejects unknown ones. */
function mapColumns(
  schema: TableSchema,
  header: readonly string[],
  { header: kind }: ImportOptions,
): CellColumns {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const fields = fieldsOfHeader(schema, header, kind);
  const columns = header.map((title, index) => {
    const name = fields[index] ?? title;
    const reject = (message: string): undefined => {
      errors.push({ path: `line 1/${title}`, message });
    };
    if (seen.has(name)) return reject("appears twice");
    seen.add(name);
    if (SYSTEM_FIELDS.has(name)) return undefined;
    const column = schema.byName.get(name);
    // An export has computed columns too.
    if (schema.computed.has(name)) return undefined;
    if (!column) return reject("is not a field of this table");
    return column.columnType.generated ? undefined : column;
  });
  if (errors.length > 0) throw invalidInput(errors);
  return columns;
}

/** Names a row in the paths of errors. */
function pathOf({ line }: CsvRow): string {
  return `line ${line}`;
}

/** Returns a function that checks rows in order. A key that an earlier row has is an error. */
function rowChecker(
  table: OpenTable,
  columns: CellColumns,
  { key, now }: ImportOptions,
): (row: CsvRow) => readonly FieldError[] {
  const column = key === undefined ? undefined : findKeyColumn(table.schema, key, "?key");
  const keys = new Set<string>();
  return (row) => {
    const at = pathOf(row);
    if (row.cells.length !== columns.length) {
      const message = `has ${row.cells.length} cells, and the first line ${columns.length}`;
      return [{ path: at, message }];
    }
    // An update does not need all required fields.
    const parsed = table.parseFields(column ? "update" : "create", toInput(columns, row), now);
    if ("errors" in parsed) {
      return titleErrors(table.schema, nestErrors(at, parsed.errors));
    }
    if (!column) return [];
    const value = parsed.values[column.name] ?? null;
    const text = JSON.stringify(value);
    const isTaken = keys.has(text);
    keys.add(text);
    if (value !== null && !isTaken) return [];
    const message = value === null ? "is required" : "is already the key of an earlier line";
    return [{ path: `${at}/${column.name}`, title: column.title, message }];
  };
}

/**
 * The fields of a row. An empty cell is null. For a required column, an empty cell is omitted, so that a new record
 * gets the default and an existing record keeps its value.
 */
function toInput(columns: CellColumns, { cells }: CsvRow): RecordInput {
  const input: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    if (!column) continue;
    const cell = cells[index] ?? null;
    // Only a text can be there and empty.
    const isEmpty = cell === null || (cell === "" && column.type !== "text");
    if (!isEmpty) input[column.name] = column.columnType.parseCell(cell, column);
    else if (!column.required) input[column.name] = null;
  }
  return input;
}

type BatchResult = Pick<ImportOutcome, "imported" | "updated" | "unchanged"> | FailedBatch;

/** The result of a failed batch: the skipped rows, and the rows to retry. */
interface FailedBatch {
  readonly skipped: number;
  readonly errors: readonly FieldError[];
  readonly left: readonly (readonly CsvRow[])[];
}

async function writeBatch(
  ctx: ImportContext,
  table: OpenTable,
  { columns, rows }: { readonly columns: CellColumns; readonly rows: readonly CsvRow[] },
  { key, onError }: ImportOptions,
): Promise<BatchResult> {
  const records = rows.map((row) => toInput(columns, row));
  const paths = rows.map(pathOf);
  const at = (index: number): string => paths[index] ?? "";
  const write = async (): Promise<BatchResult> => {
    if (key === undefined) {
      const inserted = await insertRecords(ctx, table, records, at);
      return { imported: inserted.length, updated: 0, unchanged: 0 };
    }
    const { created, updated, unchanged } = await upsertRecords(ctx, table, { key, records }, at);
    return { imported: created, updated, unchanged };
  };
  if (onError === "abort") return write();
  try {
    return await ctx.savepoint(write);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return withoutFailedRows(error, rows);
  }
}

/** Skips the rows named by the failure. Otherwise retries both halves separately. */
function withoutFailedRows(failure: Failure, rows: readonly CsvRow[]): FailedBatch {
  const errors = failure.particulars.errors ?? [];
  const named = new Set(errors.map(({ path }) => path.split("/")[0]));
  const others = rows.filter((row) => !named.has(pathOf(row)));
  const skipped = rows.length - others.length;
  if (skipped > 0) return { skipped, errors, left: [others] };
  // With a single row left, the failure has another cause.
  if (rows.length === 1) throw failure;
  const middle = Math.ceil(rows.length / 2);
  return { skipped, errors: [], left: [rows.slice(0, middle), rows.slice(middle)] };
}
