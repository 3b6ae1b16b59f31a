import { partitionOfCaller } from "#kernel/access/caller.ts";
import Type from "typebox";
import type { ConditionFieldKind } from "#kernel/condition/sql.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import {
  REPORT_TIME_LIMIT_MS,
  type ReportField,
  reportSource,
} from "#kernel/contributions/report-source.ts";
import type { SqlRow } from "#kernel/db/statement.ts";
import { QueriesRun } from "./permissions.ts";
import type { QueryResult } from "./run/query-result.ts";
import { QueryFailed } from "./run/query-failure.ts";
import { PARAMETERS_MAX, resolveParameters } from "./parameter.ts";
import { inspectQuery, ROWS_MAX, runQuery } from "./run/run-query.ts";
import { QueryId } from "./saved-query.ts";
import * as store from "./store.ts";

/** The row number in the result; no user-defined column can have this name. */
const ROW_NUMBER = '"(row)"';

/**
 * Reports on the result of a saved query. A report wraps the saved statement, and both run with the same guard,
 * role and limits as all user SQL.
 */
export const querySource = reportSource({
  kind: "query",
  summary: "The result of the saved query `queryId` with `params`, in the order of its `order by`.",
  permission: QueriesRun,
  isQuery: true,
  schema: Type.Object(
    {
      queryId: QueryId,
      params: Type.Optional(
        Type.Union([
          Type.Array(Type.Unknown(), { maxItems: PARAMETERS_MAX }),
          Type.Record(Type.String(), Type.Unknown()),
        ]),
      ),
    },
    { additionalProperties: false },
  ),
  async open({ platform, caller }, { queryId, params = [] }, parameters) {
    const query = await platform.db
      .read(partitionOfCaller(caller), (tx) => store.get(tx, queryId))
      .catch((error: unknown) => {
        const isGone = error instanceof Failure && error.type === NotFound;
        throw isGone ? invalidField("/source/queryId", "is not the id of a query") : error;
      });
    const values = resolveParameters(query.parameters, params);
    const { text } = await inspectQuery(caller, query.sql);
    const { columns } = await runQuery(platform, caller, { sql: text, params: values, limit: 1 });
    parameters.values.push(...values);
    const names = columns.map((_, index) => columnAt(index)).join(", ");
    const rows = `select row_number() over () as ${ROW_NUMBER}, answer.* from (\n${text}\n) as answer`;
    return {
      from: `(${rows}) as answered (${[ROW_NUMBER, names].filter((part) => part !== "").join(", ")})`,
      where: undefined,
      fields: new Map(
        columns.map((column, index) => [column.name, toReportField(column, columnAt(index))]),
      ),
      key: [{ sql: ROW_NUMBER, type: "bigint" }],
      time: undefined,
      rowsMax: ROWS_MAX,
      async query(sql, all) {
        const request = { sql, params: all, limit: ROWS_MAX, timeoutMs: REPORT_TIME_LIMIT_MS };
        const answer = await runQuery(platform, caller, request);
        // The statement requests no more rows than the limit, so a truncated result is too large in bytes.
        if (answer.truncated)
          throw new Failure(QueryFailed, { detail: "The rows of the query are too large." });
        // Rows are objects unless lists are requested.
        return answer.rows as readonly SqlRow[];
      },
    };
  },
});

const KINDS: Readonly<Record<string, ConditionFieldKind>> = {
  smallint: "number",
  integer: "number",
  bigint: "number",
  numeric: "number",
  real: "number",
  "double precision": "number",
  boolean: "boolean",
  timestamptz: "time",
  date: "date",
  jsonb: "json",
  text: "text",
  varchar: "text",
  "text[]": "texts",
};

/** By its place: the person may have called it anything. */
function columnAt(index: number): string {
  return `"c${index}"`;
}

/** Types that reports do not support become text. */
function toReportField({ type }: QueryResult["columns"][number], sql: string): ReportField {
  const kind = KINDS[type];
  if (kind === undefined) return { sql: `${sql}::text`, kind: "text" };
  return { sql, kind, ...(type === "bigint" && { type }) };
}
