import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { sqlStateOf, StaleRead } from "#kernel/db/errors.ts";
import { SQL_CONNECTIONS_MAX } from "#kernel/db/sql-runner.ts";
import { Failure, type FieldError, Unavailable } from "#kernel/operation/failure.ts";
import { FairShare } from "#kernel/work/fair-share.ts";
import { findTableSchema, isSchemaOutdated } from "#domains/tables/schema/table-cache.ts";
import type { TableSchema } from "#domains/tables/schema/table-schema.ts";
import { findTable } from "#domains/tables/store.ts";
import { toQueryResult, type QueryResult, type RowMode } from "./query-result.ts";
import { explainQueryError, QueryRefused, toQueryRefused } from "./query-failure.ts";
import type { Inspection } from "./guard/guard.ts";
import type { GuardError } from "./guard/source-position.ts";
import { readStatement } from "./guard/parse-thread.ts";
import { wrapStatement, isReadable } from "./wrap-statement.ts";

export const ROWS_MAX = 10_000;
export const ROWS_DEFAULT = 1_000;
export const TIME_LIMIT_MAX_MS = 30_000;
export const TIME_LIMIT_DEFAULT_MS = 10_000;

const RELATIONS_MAX = 100;

/** A question in SQL. */
export interface SqlQuery {
  readonly sql: string;
  /** The values of `$1`, `$2` and so on. */
  readonly params?: readonly unknown[] | undefined;
  readonly limit?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly rowMode?: RowMode | undefined;
}

/** Answers a question as the caller may know it: their tables, rows and fields, and nothing else. */
export async function runQuery(
  platform: Platform,
  caller: Caller,
  query: SqlQuery,
): Promise<QueryResult> {
  const inspection = await inspectQuery(caller, query.sql);
  const values = checkValues(inspection, query.params ?? []);
  const execute = () => executeQuery(platform, caller, { ...query, inspection, values });
  try {
    return await execute();
  } catch (error) {
    // A table has changed since we learnt of it.
    if (error instanceof StaleRead) return execute();
    throw error;
  }
}

/** What is to be known of a statement that only reads; throws when it is none, or not harmless. */
export async function inspectQuery(caller: Caller, sql: string): Promise<Inspection> {
  const verdict = await readStatement(partitionOfCaller(caller).workspace, sql, "read");
  if ("errors" in verdict) throw toQueryRefused(verdict.errors);
  return verdict;
}

/** What the statement might have been out of date about: a column, a table, a schema. */
const SCHEMA_ERRORS = new Set(["42703", "42P01", "3F000"]);

async function executeQuery(
  platform: Platform,
  caller: Caller,
  query: SqlQuery & { readonly inspection: Inspection; readonly values: readonly unknown[] },
): Promise<QueryResult> {
  const { sql, inspection, values, limit = ROWS_DEFAULT, rowMode = "object" } = query;
  const partition = partitionOfCaller(caller);
  const tables = await openNamedTables(platform, caller, inspection);
  const { principal: person } = caller;
  const wrapped = wrapStatement(inspection, { tables, person, values, rowsMax: limit });
  const signal = AbortSignal.any([
    platform.shutdown,
    ...(caller.disconnected ? [caller.disconnected] : []),
  ]);
  const from = performance.now();
  try {
    const result = await fairShareOf(platform).run(partition.workspace, () =>
      platform.db.sql.run({
        text: wrapped.text,
        values: wrapped.values,
        // Where no table is named, there may be no schema and nobody who could read it.
        partition: tables.length === 0 ? undefined : partition,
        timeoutMs: query.timeoutMs ?? TIME_LIMIT_DEFAULT_MS,
        signal,
      }),
    );
    const durationMs = Math.round(performance.now() - from);
    return { ...toQueryResult(result, { limit, rowMode }), durationMs };
  } catch (error) {
    // Nobody waits for what this says.
    if (signal.aborted) throw new Failure(Unavailable);
    const stale =
      SCHEMA_ERRORS.has(sqlStateOf(error) ?? "") &&
      (await haveChanged(platform, caller, tables)) &&
      isSchemaOutdated({ services: platform, caller }, error);
    throw stale || explainQueryError(error, { sql, inspection, wrapped });
  }
}

/** Whether one of the tables is no longer what we know: mostly it is the statement that is wrong. */
function haveChanged(
  { db }: Platform,
  caller: Caller,
  tables: readonly TableSchema[],
): Promise<boolean> {
  return db.read(partitionOfCaller(caller), async (tx) => {
    for (const { id, slug, revision } of tables) {
      const now = await findTable(tx, slug);
      if (now?.id !== id || now.revision !== revision) return true;
    }
    return false;
  });
}

/** Those who ask one database. */
const fairShares = new WeakMap<Platform["db"], FairShare>();

function fairShareOf({ db }: Platform): FairShare {
  let all = fairShares.get(db);
  if (!all) fairShares.set(db, (all = new FairShare(SQL_CONNECTIONS_MAX)));
  return all;
}

/** The tables that a statement names; fails when one of them is not there for the caller. */
async function openNamedTables(
  platform: Platform,
  caller: Caller,
  { relations, expressions }: Inspection,
): Promise<TableSchema[]> {
  const partition = partitionOfCaller(caller);
  const errors: GuardError[] = [];
  if (relations.size > RELATIONS_MAX) {
    const message = `one statement can name at most ${RELATIONS_MAX} tables`;
    throw toQueryRefused([{ message, at: undefined }]);
  }
  const tables: TableSchema[] = [];
  for (const [name, at] of relations) {
    const table = await findTableSchema(platform, partition, name, (work) =>
      platform.db.read(partition, work),
    );
    if (table && isReadable(table, caller.principal)) tables.push(table);
    else if (!expressions.has(name)) {
      errors.push({ message: `there is no table ${name} that you may read`, at });
    }
  }
  if (errors.length > 0) throw toQueryRefused(errors);
  return tables;
}

/** The values that the statement has places for, no more and no less. */
function checkValues({ parameters }: Inspection, params: readonly unknown[]): unknown[] {
  const errors: FieldError[] = [];
  for (const number of parameters.keys()) {
    if (number < 1 || number > params.length) {
      errors.push({ path: "/params", message: `has no value for $${number}` });
    }
  }
  for (const index of params.keys()) {
    if (!parameters.has(index + 1)) {
      errors.push({ path: `/params/${index}`, message: `the statement has no $${index + 1}` });
    }
  }
  const [first] = errors;
  if (!first) return params.map(toParameter);
  throw new Failure(QueryRefused, { detail: `${first.path} ${first.message}`, errors });
}

/** A list is a list to PostgreSQL too; any other object is JSON. */
function toParameter(value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? JSON.stringify(value) : value;
}
