import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import { holdsPermission } from "#kernel/access/permission.ts";
import type { Platform } from "#kernel/contract.ts";
import { type OpenSqlView, openSqlView } from "#kernel/contributions/sql-view.ts";
import type { Partition } from "#kernel/db/partition.ts";
import { SqlParameters } from "#kernel/db/statement.ts";
import { sqlStateOf, StaleRead } from "#kernel/db/errors.ts";
import { SQL_CONNECTIONS_MAX, type SqlResult } from "#kernel/db/sql-runner.ts";
import { Failure, type FieldError, Unavailable } from "#kernel/operation/failure.ts";
import { FairShare } from "#kernel/work/fair-share.ts";
import { RecordsRead } from "#domains/records/index.ts";
import { findOpenTable, type OpenTable } from "#domains/tables/index.ts";
import { CELLS_MAX, toQueryResult, type QueryResult, type RowMode } from "./query-result.ts";
import { explainQueryError, QueryRefused, toQueryRefused } from "./query-failure.ts";
import type { Inspection } from "../guard/guard.ts";
import type { GuardError } from "../guard/source-position.ts";
import { readStatement } from "../guard/parser.ts";
import { wrapStatement } from "./wrap-statement.ts";

export const ROWS_MAX = 10_000;
export const ROWS_DEFAULT = 1_000;
export const TIME_LIMIT_MAX_MS = 30_000;
export const TIME_LIMIT_DEFAULT_MS = 10_000;

const RELATIONS_MAX = 100;

/** A query in SQL, and how to run it. */
export interface SqlQuery {
  readonly sql: string;
  /** The values of `$1`, `$2` and so on. */
  readonly params?: readonly unknown[] | undefined;
  readonly limit?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly rowMode?: RowMode | undefined;
}

/** Runs a query on only the tables, rows and fields that the caller may read. */
export async function runQuery(
  platform: Platform,
  caller: Caller,
  query: SqlQuery,
): Promise<QueryResult> {
  return withCheckedQuery(caller, query, (checked) => executeQuery(platform, caller, checked));
}

/** Checks a query and uses it; repeats this once if a table changed after its schema was read. */
export async function withCheckedQuery<T>(
  caller: Caller,
  query: SqlQuery,
  execute: (checked: CheckedQuery) => Promise<T>,
): Promise<T> {
  const inspection = await inspectQuery(caller, query.sql);
  const values = checkValues(inspection, query.params ?? []);
  const checked = { ...query, inspection, values };
  try {
    return await execute(checked);
  } catch (error) {
    if (error instanceof StaleRead) return execute(checked);
    throw error;
  }
}

/** Inspects a statement; throws unless it is a single read-only statement that the guard allows. */
export async function inspectQuery(caller: Caller, sql: string): Promise<Inspection> {
  const result = await readStatement(partitionOfCaller(caller).workspace, sql, "read");
  if ("errors" in result) throw toQueryRefused(result.errors);
  return result;
}

/** No such column, table or schema: the cached schema may be outdated. */
const SCHEMA_ERRORS = new Set(["42703", "42P01", "3F000"]);

async function executeQuery(
  platform: Platform,
  caller: Caller,
  query: CheckedQuery,
): Promise<QueryResult> {
  const { limit = ROWS_DEFAULT, rowMode = "object" } = query;
  const { result, durationMs } = await executeStatement(platform, caller, {
    ...query,
    // Each row has columns of the wrapping, too.
    cellsMax: 3 * CELLS_MAX,
  });
  return { ...(await toQueryResult(result, { limit, rowMode })), durationMs };
}

/** A query that passed the guard, with the values of its parameters. */
export interface CheckedQuery extends SqlQuery {
  readonly inspection: Inspection;
  readonly values: readonly unknown[];
  /** Further rows are dropped. */
  readonly cellsMax?: number;
}

export interface ExecutedStatement {
  readonly result: SqlResult;
  readonly tables: readonly OpenTable[];
  /** True if it reads platform views. */
  readonly hasViews: boolean;
  readonly durationMs: number;
}

/** Runs the wrapped statement, with `prefix` before it, on a connection that reads as the caller's partition. */
export async function executeStatement(
  platform: Platform,
  caller: Caller,
  query: CheckedQuery,
  prefix = "",
): Promise<ExecutedStatement> {
  const { sql, inspection, values, limit = ROWS_DEFAULT } = query;
  const partition = partitionOfCaller(caller);
  const parameters = new SqlParameters();
  parameters.values.push(...values);
  const { tables, views } = await openNamed(platform, caller, { inspection, parameters });
  const statement = wrapStatement(inspection, { tables, views, parameters, rowsMax: limit });
  const wrapped = { ...statement, prefixLength: statement.prefixLength + prefix.length };
  // Without any tables, the reader role may not exist yet.
  if (views.length > 0 && tables.length === 0) await makeReader(platform, partition);
  const signal = AbortSignal.any([
    platform.shutdown,
    ...(caller.disconnected ? [caller.disconnected] : []),
  ]);
  const from = performance.now();
  try {
    const result = await fairShareOf(platform).run(partition.workspace, () =>
      platform.db.sql.run({
        text: `${prefix}${statement.text}`,
        values: statement.values,
        // Without named tables, the schema and its reader role may not exist.
        partition: tables.length + views.length === 0 ? undefined : partition,
        cellsMax: query.cellsMax,
        timeoutMs: query.timeoutMs ?? TIME_LIMIT_DEFAULT_MS,
        signal,
      }),
    );
    const durationMs = Math.round(performance.now() - from);
    return { result, tables, hasViews: views.length > 0, durationMs };
  } catch (error) {
    // The client has left.
    if (signal.aborted) throw new Failure(Unavailable);
    const isSchemaError = SCHEMA_ERRORS.has(sqlStateOf(error) ?? "");
    const changed = isSchemaError ? await findChangedTable(tables) : undefined;
    throw changed?.toStaleRead(error) ?? explainQueryError(error, { sql, inspection, wrapped });
  }
}

/** The first changed table; usually none has changed, and the statement is wrong. */
async function findChangedTable(tables: readonly OpenTable[]): Promise<OpenTable | undefined> {
  for (const table of tables) {
    if (!(await table.isCurrent())) return table;
  }
  return undefined;
}

/** The workspaces that share the SQL connections of one database. */
const fairShares = new WeakMap<Platform["db"], FairShare>();

function fairShareOf({ db }: Platform): FairShare {
  let share = fairShares.get(db);
  if (!share) fairShares.set(db, (share = new FairShare(SQL_CONNECTIONS_MAX)));
  return share;
}

async function makeReader({ db }: Platform, partition: Partition): Promise<void> {
  await db.write(partition, (session) => session.send("select make_user_schema()", []));
}

interface NamedRelations {
  readonly tables: readonly OpenTable[];
  readonly views: readonly OpenSqlView[];
}

/**
 * Opens the tables in a statement, and platform views for other names; fails if the caller may not read one of
 * them.
 */
async function openNamed(
  platform: Platform,
  caller: Caller,
  {
    inspection: { relations, expressions },
    parameters,
  }: { readonly inspection: Inspection; readonly parameters: SqlParameters },
): Promise<NamedRelations> {
  const errors: GuardError[] = [];
  if (relations.size > RELATIONS_MAX) {
    const message = `one statement can use at most ${RELATIONS_MAX} tables`;
    throw toQueryRefused([{ message, at: undefined }]);
  }
  // A table without rules is readable by all members who may read records, as in the API.
  const mayReadRecords = holdsPermission(caller.permissions, RecordsRead);
  const tables: OpenTable[] = [];
  const views: OpenSqlView[] = [];
  for (const [name, at] of relations) {
    const table = await findOpenTable({ platform, caller }, name);
    // A user table hides a platform view with the same name.
    const view = table ? undefined : await openSqlView({ platform, caller }, name, parameters);
    if (table && mayReadRecords && table.grants("read")?.length !== 0) tables.push(table);
    else if (view) views.push(view);
    else if (!expressions.has(name)) {
      errors.push({ message: `the table ${name} does not exist, or you can't view it`, at });
    }
  }
  if (errors.length > 0) throw toQueryRefused(errors);
  return { tables, views };
}

/** Checks that the number of values equals the number of parameters of the statement. */
function checkValues({ parameters }: Inspection, params: readonly unknown[]): unknown[] {
  const errors: FieldError[] = [];
  for (const number of parameters.keys()) {
    if (number < 1 || number > params.length) {
      errors.push({ path: "/params", message: `requires a value for $${number}` });
    }
  }
  for (const index of params.keys()) {
    if (!parameters.has(index + 1)) {
      errors.push({
        path: `/params/${index}`,
        message: `the statement does not have $${index + 1}`,
      });
    }
  }
  const [first] = errors;
  if (!first) return params.map(toParameter);
  throw new Failure(QueryRefused, { detail: `${first.path} ${first.message}`, errors });
}

/** A list is a PostgreSQL array too; any other object is JSON. */
function toParameter(value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? JSON.stringify(value) : value;
}
